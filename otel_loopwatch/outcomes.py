"""What a result says: its outcome for people and machines, and how much an equal one would prove.

Word lists are small and come after what needs no language: emptiness, JSON shape, length. A word list alone must never
stop a run, so everything short is weaker evidence than a text that says something, whatever its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Any

from otel_loopwatch.canonical import decode, text_of
from otel_loopwatch.masking import clock_only
from otel_loopwatch.model import Evidence, Outcome


class Grade(IntEnum):
    """What seeing this result once more would prove, from nothing to a lot."""

    NOTHING = 0
    """Not captured."""
    CLOCK = 1
    """Only a clock or a date."""
    PENDING = 2
    """The answer is not there yet."""
    ACK = 3
    """Done, and nothing else said."""
    EMPTY = 4
    """Nothing was found."""
    SHORT = 5
    """A word or a number."""
    TERSE = 6
    """A line or two of data: more than a status word, too little to tell look-ups apart."""
    UNDERWAY = 7
    """Text that says something, and also that something is still going on."""
    RETRYABLE = 8
    """A failure that may pass."""
    INFORMATIVE = 9
    """Text that says something."""
    ERROR = 10
    """A failure that will not pass by itself."""

    @property
    def evidence(self) -> Evidence:
        """The three-step scale that users see."""
        if self is Grade.NOTHING:
            return Evidence.NONE
        return Evidence.STRONG if self >= Grade.RETRYABLE else Evidence.WEAK

    @property
    def failure(self) -> bool:
        """Whether the call failed."""
        return self in (Grade.RETRYABLE, Grade.ERROR)


SHORT_CHARACTERS = 24
SHORT_WORDS = 4
CONTAINER_CHARACTERS = 16
"""A JSON container is informative from this length on."""
LOOKED_AT = 400
"""Longer results are informative unless their head or tail tells of a failure or of something going on."""
HEAD = 300
STATE_WITHIN = 4_000
"""Characters in which a state is looked for."""

_CODE_RETRY = re.compile(r"(?<!\d)(?:408|425|429|500|502|503|504|529)(?!\d)")
_PRECONDITION = re.compile(
    r"permission|denied|forbidden|unauthori[sz]ed|unauthenticated|(?<!\d)(?:400|401|402|403|404|405|409|410|412|422)(?!\d)"
    r"|not found|no such|(?:does not|doesn't|did not) exist|missing|required|invalid|validation|must (?:be|not|have)"
    r"|expected|unknown|already exists|not allowed|not clickable|unsupported|0 occurrences|found 0 times|precondition"
    r"|quota|insufficient|expired|blocked|not installed|undefined",
    re.I,
)
_RETRYABLE = re.compile(
    r"rate.?limit|too many requests|time[d-]?.?out|temporar|unavailable|overloaded|throttl|connection|econn|eai_again"
    r"|network|deadline exceeded|try again later|busy|bad gateway|service error|in use|locked",
    re.I,
)
_ERROR_TEXT = re.compile(
    r"\w*(?:error|exception|traceback|failed|failure|fatal|blocked|denied)\b\s*[:(\[]|Traceback ", re.I
)
_EMPTY = re.compile(
    r"(?:there (?:are|is|were) )?(?:no|0|zero|not any|none)\b.{0,60}?\b(?:results?|match(?:es)?|found|hits?|documents?"
    r"|records?|entr(?:y|ies)|items?|rows?|data|messages?|files?|available|exist)\b.{0,40}"
    r"|nothing\b.{0,40}|.{0,60}\b(?:is empty|are empty|not found|no results|no matches|none found|empty)\W*"
    r"|empty\b.{0,30}|none|null|nil|undefined|n/?a|0|\(\)|''|\"\"|-",
    re.I | re.S,
)
_PENDING = re.compile(
    r".{0,40}\b(?:pending|running|in[ _-]progress|queued|processing|waiting|scheduled|starting|initiali[sz]ing"
    r"|unfinished|not (?:yet )?(?:ready|finished|complete|done|available)|no new (?:output|messages|events|data)"
    r"|still \w+ing|try again (?:later|soon))\b.{0,30}",
    re.I | re.S,
)
_ACK = re.compile(
    r"(?:ok(?:ay)?|done|success(?:ful(?:ly)?)?|true|yes|saved|sent|processed|updated|created|deleted|removed|added"
    r"|written|accepted|received|noted|acknowledged|applied|complete[d]?|finished|recorded|stored|handed over"
    r"|\d+ (?:change|row|file|item|record|line|edit|replacement)s?(?: (?:changed|updated|affected|deleted|inserted"
    r"|written|made|applied))?"
    r"|\(?no (?:output|stdout|return value)\)?|(?:command )?executed successfully.{0,30}"
    r"|(?:the )?\w+ (?:was |has been |have been )?(?:applied|written|saved|created|updated|deleted|removed|added|sent"
    r"|done|recorded|inserted|complete[d]?)(?: successfully)?|successfully \w+(?: .{0,40})?|wrote \d+ \w+.{0,60}"
    r"|(?:successfully )?(?:transferred|handed (?:over|off|back)|delegated|assigned) to .{1,60}"
    r"|success: .{0,60}"
    r"|(?:successfully )?(?:clicked|pressed|typed|scrolled|selected|hovered|tapped|swiped|focused|filled|entered|waited"
    r"|slept|navigated|moved|opened|closed|submitted)\b.{0,120})\s*[.!]?",
    re.I | re.S,
)
_GOING_ON = (
    r"pending|running|in[ _-]?progress|queued|processing|waiting|scheduled|starting|initiali[sz]ing|creating"
    r"|\w*creating|provisioning|building|deploying|pulling|downloading|uploading|installing|indexing|transcoding"
    r"|rendering|syncing|migrating|warming up|not (?:yet )?(?:ready|finished|complete|done|available)"
)
_STATE = re.compile(rf"(?:status|state|phase)[\"']?\s*[:=]\s*[\"']?(?:\w{{0,20}}[ _-])?(?:{_GOING_ON})(?![a-z])", re.I)
_UNDERWAY = re.compile(rf"(?<![a-z])(?:{_GOING_ON})(?![a-z])|\bin (?:the |a )?queue\b", re.I)
_FAILED_RUN = re.compile(
    r"^\s*(?:FAILED|FAIL|ERRORS?)\b(?!\W+0\b)|(?:^|[\s,(])[1-9]\d* (?:failed|failing|failures?|errors?)\b|\bfail(?:ed|ures?)[:=] ?[1-9]"
    r"|^Traceback \(most|\berror (?:TS|CS|C|LNK)\d+|\berror\[E\d+\]|^error: |: error: |\bAssertionError\b|\bpanicked at\b"
    r"|\bFailure in\b|\bERROR=[1-9]|npm ERR!|BUILD FAILED|\bexit(?:ed with)?(?: code| status)?[:= ]+[1-9]|--- FAIL:",
    re.M,
)
"""What compilers and test runners print when they fail, though the tool that ran them did what it should."""
_MISUSE = re.compile(
    r"validation|schema|required|missing \w+ (?:argument|parameter|property|field)|must be|invalid (?:argument|parameter|input|json)"
    r"|expected .{0,40} (?:got|but)|unexpected (?:argument|keyword|parameter)",
    re.I,
)
"""Complaints about the form of a call."""
_REFUSED = re.compile(
    r"\b(?:call|command|tool|request|action)s?\b.{0,40}\b(?:not executed|blocked|skipped|refused|suppressed|not run)\b"
    r"|\bnothing (?:was|has been) (?:run|executed|done)\b|\bdo not retry\b|\bwas (?:not|never) (?:run|executed)\b"
    r"|\b(?:blocked|refused|not executed)\b.{0,80}\b(?:repeat|identical|duplicate|same|already)",
    re.I,
)
"""What guards put in place of a result."""
_EXIT_KEYS = ("exit_code", "exitCode", "exit_status", "returncode", "return_code", "code")
_DATA = re.compile(r"\S[^\n]*\n[ \t]*\S|[A-Za-z]\w*[./\\=(){}<>\[\]][A-Za-z0-9]|[A-Za-z0-9][=(){}<>\[\]][A-Za-z]")
"""Two lines, a path, a name with an extension, an assignment: no status word of any language looks like that."""
_STATE_KEYS = ("status", "state", "phase", "job_status", "run_status", "task_status")
_FAILED_STATES = ("error", "failed", "failure")
_ECHO_KEYS = frozenset(
    "query q page per_page page_size limit offset request_id requestid trace_id timestamp ts time date id took elapsed "
    "duration next next_page cursor next_cursor has_more status state success ok error message".split()
)
_ACK_KEYS = frozenset("ok success status state result message done accepted sent created updated acknowledged".split())
_ID_KEY = re.compile(
    r"(?:^|_)(?:id|ID|Id|ts|timestamp|time|at|uuid|txn|number|ref)$|[a-z](?:Id|ID|Ts|Timestamp|Time|At|Uuid|Number|Ref)$"
)
_NOT_FOUND = frozenset("not_found notfound none empty no_results missing".split())


def misuse(text: str) -> bool:
    """Whether a failure is about the form of the call, so that what it was about makes no difference."""
    return _MISUSE.search(text[:LOOKED_AT]) is not None


def outcome_of(text: str | None, failed: bool) -> tuple[Outcome, Grade]:
    """Outcome and grade of a result or failure text (``None``: not captured)."""
    if failed:
        return _failure(text[:2_000]) if text else (Outcome.FATAL, Grade.NOTHING)
    if text is None:
        return Outcome.UNKNOWN, Grade.NOTHING
    if len(text) > LOOKED_AT:
        return _long(text[:HEAD] + text[-HEAD:], _state_of(text[:STATE_WITHIN]))
    return _short(text)


@lru_cache(maxsize=2_048)
def _failure(text: str) -> tuple[Outcome, Grade]:
    if _CODE_RETRY.search(text[:120]):
        return Outcome.RETRYABLE, Grade.RETRYABLE
    if _PRECONDITION.search(text):
        return Outcome.PRECONDITION, Grade.ERROR
    if _RETRYABLE.search(text):
        return Outcome.RETRYABLE, Grade.RETRYABLE
    return Outcome.FATAL, Grade.ERROR


def _state_of(text: str) -> str:
    """The first word after which a state may be told; the regular expression would cost 10 us per kB."""
    lowered = text.lower()
    found = [place for place in map(lowered.find, ("status", "state", "phase")) if place >= 0]
    return text[min(found) :] if found else ""


def _long(text: str, state: str) -> tuple[Outcome, Grade]:
    if _ERROR_TEXT.match(text):
        return _failure(text[:200])
    if _FAILED_RUN.search(text):
        return Outcome.FATAL, Grade.ERROR
    if _STATE.search(state):
        return Outcome.PENDING, Grade.PENDING
    return Outcome.SUCCESS, Grade.INFORMATIVE


@lru_cache(maxsize=4_096)
def _short(text: str) -> tuple[Outcome, Grade]:
    body = text.strip()
    if not body:
        return Outcome.EMPTY, Grade.EMPTY
    if body[0] in "{[":
        return _structure(decode(body), body)
    return _words(body)


def _words(body: str) -> tuple[Outcome, Grade]:
    if _ERROR_TEXT.match(body):
        return _failure(body)
    if clock_only(body):
        return Outcome.SUCCESS, Grade.CLOCK
    if len(body) <= 160 and (_ACK.fullmatch(body)):
        return Outcome.SUCCESS, Grade.ACK
    if _STATE.search(body) or (len(body) <= 80 and _PENDING.fullmatch(body)):
        return Outcome.PENDING, Grade.PENDING
    if len(body) <= 120 and _EMPTY.fullmatch(body):
        return Outcome.EMPTY, Grade.EMPTY
    if _FAILED_RUN.search(body) or _REFUSED.search(body):
        return Outcome.FATAL, Grade.ERROR
    return Outcome.SUCCESS, _length_grade(body)


def _length_grade(body: str) -> Grade:
    container = body[:1] in ("{", "[") and len(body) >= CONTAINER_CHARACTERS
    if container or (len(body) >= SHORT_CHARACTERS and (not body.isascii() or len(body.split()) >= SHORT_WORDS)):
        return Grade.UNDERWAY if _UNDERWAY.search(body) else Grade.INFORMATIVE
    return Grade.TERSE if _DATA.search(body) else Grade.SHORT


def _structure(value: Any, body: str) -> tuple[Outcome, Grade]:
    if isinstance(value, Mapping):
        return _mapping(value, body)
    if isinstance(value, list):
        return (Outcome.SUCCESS, _length_grade(body)) if value else (Outcome.EMPTY, Grade.EMPTY)
    return _words(body)


def _mapping(value: Mapping[str, Any], body: str) -> tuple[Outcome, Grade]:
    error = value.get("error") or value.get("errors")
    if error:
        return _failure(error if isinstance(error, str) else body[:LOOKED_AT])
    if value.get("success") is False or value.get("ok") is False or value.get("status") in _FAILED_STATES:
        return _failure(text_of(value.get("message") or body)[:LOOKED_AT])
    if _exited(value):
        return (
            (Outcome.FATAL, Grade.ERROR)
            if any(_telling(item) for item in value.values())
            else (Outcome.EMPTY, Grade.EMPTY)
        )
    state = next((value[key] for key in _STATE_KEYS if isinstance(value.get(key), str)), "")
    if _STATE.search(body) or (state and _PENDING.fullmatch(state)):
        return Outcome.PENDING, Grade.PENDING
    said = {key: item for key, item in value.items() if not _ID_KEY.search(str(key))}
    if all(str(key).lower() in _ACK_KEYS and _acknowledges(item) for key, item in said.items()) and said:
        return Outcome.SUCCESS, Grade.ACK
    told = [item for key, item in said.items() if str(key).lower() not in _ECHO_KEYS]
    nothing_told = all(item in (None, "", 0, False, [], {}) for item in told)
    if nothing_told and (told or not value or state.lower() in _NOT_FOUND):
        return Outcome.EMPTY, Grade.EMPTY
    return Outcome.SUCCESS, _length_grade(body if len(said) > 1 else text_of(next(iter(said.values()), body)))


def _exited(value: Mapping[str, Any]) -> bool:
    """Whether a command ended with a code that says it failed."""
    codes = (value.get(key) for key in _EXIT_KEYS)
    return any(isinstance(code, int) and 0 < code < 256 for code in codes)


def _telling(item: Any) -> bool:
    return isinstance(item, (str, list, dict)) and bool(item)


def _acknowledges(item: Any) -> bool:
    return item is True or (isinstance(item, str) and _ACK.fullmatch(item) is not None)
