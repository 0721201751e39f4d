"""What a result says: its outcome for people and machines, and how much an equal one would prove.

Word lists are small and come after what needs no language: emptiness, JSON shape, length. A word list alone must never
stop a run, so everything short is weaker evidence than a text that says something, whatever its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Any

from otel_loopwatch import wording
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
        return self is Grade.RETRYABLE or self is Grade.ERROR


SHORT_CHARACTERS = 24
SHORT_WORDS = 4
CONTAINER_CHARACTERS = 16
"""A JSON container is informative from this length on."""
LOOKED_AT = 400
"""Longer results are informative unless their head or tail tells of a failure or of something going on."""
HEAD = 300
STATE_WITHIN = 4_000
"""Characters in which a state is looked for."""


def misuse(text: str) -> bool:
    """Whether a failure is about the form of the call, so that what it was about makes no difference."""
    return wording.MISUSE.search(text[:LOOKED_AT]) is not None


def outcome_of(text: str | None, failed: bool, reads: bool = False) -> tuple[Outcome, Grade]:
    """Outcome and grade of a result or failure text (``None``: not captured).

    Of a tool that ``reads``, the log of a failure is what it was asked for, and no failure of its own.
    """
    if failed:
        return _failure(text[:2_000]) if text else (Outcome.FATAL, Grade.NOTHING)
    if text is None:
        return Outcome.UNKNOWN, Grade.NOTHING
    return _long(text, reads) if len(text) > LOOKED_AT else _short(text, reads)


@lru_cache(maxsize=2_048)
def _failure(text: str) -> tuple[Outcome, Grade]:
    if wording.CODE_RETRY.search(text[:120]):
        return Outcome.RETRYABLE, Grade.RETRYABLE
    if wording.PRECONDITION.search(text):
        return Outcome.PRECONDITION, Grade.ERROR
    if wording.RETRYABLE.search(text):
        return Outcome.RETRYABLE, Grade.RETRYABLE
    return Outcome.FATAL, Grade.ERROR


def _failed_run(text: str) -> bool:
    """Whether a compiler or a test runner says that it failed."""
    return _hinted(text.lower(), wording.FAILURE_HINTS) and wording.FAILED_RUN.search(text) is not None


def _refused(text: str) -> bool:
    return _hinted(text.lower(), wording.REFUSED_HINTS) and wording.REFUSED.search(text) is not None


def _underway(text: str) -> bool:
    lowered = text.lower()
    return _hinted(lowered, wording.UNDERWAY_HINTS) and wording.UNDERWAY.search(lowered) is not None


def _hinted(lowered: str, hints: tuple[str, ...]) -> bool:
    for hint in hints:  # noqa: SIM110 - `any` takes three times as long
        if hint in lowered:
            return True
    return False


def _going_on(text: str) -> bool:
    """Whether a state is told that is not the last one.

    Equal values are looked at once: 1 kB of JSON with a status in each row costs 12 us instead of 120, other text 1.
    """
    lowered = text.lower()
    for hint, state in wording.STATES.items():
        if hint in lowered and any(map(wording.STATE_GOING_ON.match, set(state.findall(lowered)))):
            return True
    return False


def _long(text: str, reads: bool) -> tuple[Outcome, Grade]:
    ends = text[:HEAD] + text[-HEAD:]
    if wording.ERROR_TEXT.match(ends):
        return _failure(text[:200])
    if not reads and _failed_run(ends):
        return Outcome.FATAL, Grade.ERROR
    if _going_on(text[:STATE_WITHIN]):
        return Outcome.PENDING, Grade.PENDING
    return Outcome.SUCCESS, Grade.INFORMATIVE


@lru_cache(maxsize=4_096)
def _short(text: str, reads: bool) -> tuple[Outcome, Grade]:
    body = text.strip()
    if not body:
        return Outcome.EMPTY, Grade.EMPTY
    if body[0] in "{[":
        return _structure(decode(body), body, reads)
    return _words(body, reads)


def _words(body: str, reads: bool) -> tuple[Outcome, Grade]:
    if wording.ERROR_TEXT.match(body):
        return _failure(body)
    if clock_only(body):
        return Outcome.SUCCESS, Grade.CLOCK
    if len(body) <= 160 and (wording.ACK.fullmatch(body)):
        return Outcome.SUCCESS, Grade.ACK
    if _going_on(body) or (len(body) <= 80 and wording.PENDING.fullmatch(body)):
        return Outcome.PENDING, Grade.PENDING
    if len(body) <= 120 and wording.EMPTY.fullmatch(body):
        return Outcome.EMPTY, Grade.EMPTY
    if (not reads and _failed_run(body)) or _refused(body):
        return Outcome.FATAL, Grade.ERROR
    return Outcome.SUCCESS, _length_grade(body)


def _length_grade(body: str) -> Grade:
    container = body[:1] in ("{", "[") and len(body) >= CONTAINER_CHARACTERS
    if container or (len(body) >= SHORT_CHARACTERS and (not body.isascii() or len(body.split()) >= SHORT_WORDS)):
        return Grade.UNDERWAY if _underway(body) or _incomplete(body) else Grade.INFORMATIVE
    return Grade.TERSE if wording.DATA.search(body) else Grade.SHORT


def _incomplete(body: str) -> bool:
    """Whether it says "so many of so many", and not all: ``0/3`` replicas are ready."""
    return "/" in body and any(int(part) < int(whole) for part, whole in wording.OF.findall(body))


def _structure(value: Any, body: str, reads: bool) -> tuple[Outcome, Grade]:
    if isinstance(value, Mapping):
        return _mapping(value, body)
    if isinstance(value, list):
        return (Outcome.SUCCESS, _length_grade(body)) if value else (Outcome.EMPTY, Grade.EMPTY)
    return _words(body, reads)


def _mapping(value: Mapping[str, Any], body: str) -> tuple[Outcome, Grade]:
    error = value.get("error") or value.get("errors")
    if error and (error is True or isinstance(error, (str, list, Mapping))):
        return _failure(error if isinstance(error, str) else body[:LOOKED_AT])
    if value.get("success") is False or value.get("ok") is False or value.get("status") in wording.FAILED_STATES:
        return _failure(text_of(value.get("message") or body)[:LOOKED_AT])
    if _exited(value):
        return (
            (Outcome.FATAL, Grade.ERROR)
            if any(_telling(item) for item in value.values())
            else (Outcome.EMPTY, Grade.EMPTY)
        )
    state = next((value[key] for key in wording.STATE_KEYS if isinstance(value.get(key), str)), "")
    if _going_on(body) or (state and wording.PENDING.fullmatch(state)):
        return Outcome.PENDING, Grade.PENDING
    said = {key: item for key, item in value.items() if not _beside(str(key))}
    if value and (not said or all(item is True for item in said.values())):
        return (Outcome.SUCCESS, Grade.ACK) if said else (Outcome.EMPTY, Grade.EMPTY)
    if all(str(key).lower() in wording.ACK_KEYS and _acknowledges(item) for key, item in said.items()) and said:
        return Outcome.SUCCESS, Grade.ACK
    told = [item for key, item in said.items() if str(key).lower() not in wording.ECHO_KEYS]
    nothing_told = all(item in (None, "", 0, False, [], {}) for item in told)
    if nothing_told and (told or not value or state.lower() in wording.NOT_FOUND):
        return Outcome.EMPTY, Grade.EMPTY
    return Outcome.SUCCESS, _length_grade(body if len(said) > 1 else text_of(next(iter(said.values()), body)))


def _exited(value: Mapping[str, Any]) -> bool:
    """Whether a command ended with a code that says it failed."""
    codes = (value.get(key) for key in wording.EXIT_KEYS)
    return any(isinstance(code, int) and 0 < code < 256 for code in codes)


def _telling(item: Any) -> bool:
    return isinstance(item, (str, list, dict)) and bool(item)


def _beside(key: str) -> bool:
    """Whether a key stands for the answer's own bookkeeping, not for what it says."""
    return wording.ID_KEY.search(key) is not None or key.lower() in wording.META_KEYS


def _acknowledges(item: Any) -> bool:
    return item is True or (isinstance(item, str) and wording.ACK.fullmatch(item) is not None)
