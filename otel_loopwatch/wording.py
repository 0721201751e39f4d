"""Words by which results are told apart, in small lists.

They come after what needs no language: emptiness, JSON shape, length. A list alone must never stop a run.
"""

from __future__ import annotations

import re

CODE_RETRY = re.compile(r"(?<!\d)(?:408|425|429|500|502|503|504|529)(?!\d)")
PRECONDITION = re.compile(
    r"permission|denied|forbidden|unauthori[sz]ed|unauthenticated|(?<!\d)(?:400|401|402|403|404|405|409|410|412|422)(?!\d)"
    r"|not found|no such|(?:does not|doesn't|did not) exist|missing|required|invalid|validation|must (?:be|not|have)"
    r"|expected|unknown|already exists|not allowed|not clickable|unsupported|0 occurrences|found 0 times|precondition"
    r"|quota|insufficient|expired|blocked|not installed|undefined",
    re.I,
)
RETRYABLE = re.compile(
    r"rate.?limit|too many requests|time[d-]?.?out|temporar|unavailable|overloaded|throttl|connection|econn|eai_again"
    r"|\block\b|held by|another (?:process|instance)|upstream|network|deadline exceeded"
    r"|try again later|busy|bad gateway|service error|in use|locked",
    re.I,
)
ERROR_TEXT = re.compile(
    r"\w*(?:error|exception|traceback|failed|failure|fatal|blocked|denied)\b\s*[:(\[]|Traceback "
    r"|(?:HTTP(?:/\d(?:\.\d)?)? )?[45]\d\d:? (?:Bad|Unauthori[sz]ed|Forbidden|Not Found|Conflict|Unprocessable"
    r"|Too Many|Internal|Bad Gateway|Service Unavailable|Gateway Time)",
    re.I,
)
EMPTY = re.compile(
    r"(?:there (?:are|is|were) )?(?:no|0|zero|not any|none)\b.{0,60}?\b(?:results?|match(?:es)?|found|hits?|documents?"
    r"|records?|entr(?:y|ies)|items?|rows?|data|messages?|files?|available|exist)\b.{0,40}"
    r"|nothing\b.{0,40}|.{0,60}\b(?:is empty|are empty|not found|no results|no matches|none found|empty)\W*"
    r"|empty\b.{0,30}|none|null|nil|undefined|n/?a|0|\(\)|''|\"\"|-",
    re.I | re.S,
)
PENDING = re.compile(
    r".{0,40}(?:\b|_)(?:pending|running|in[ _-]progress|queued|processing|waiting|scheduled|starting|initiali[sz]ing"
    r"|unfinished|not (?:yet )?(?:ready|finished|complete|done|available)|no new (?:output|messages|events|data)"
    r"|still \w+ing|try again (?:later|soon))\b.{0,30}",
    re.I | re.S,
)
ACK = re.compile(
    r"(?:ok(?:ay)?|done|success(?:ful(?:ly)?)?|true|yes|saved|sent|processed|updated|created|deleted|removed|added"
    r"|written|accepted|received|noted|acknowledged|applied|complete[d]?|finished|recorded|stored|handed over"
    r"|\d+ (?:change|row|file|item|record|line|edit|replacement)s?(?: (?:changed|updated|affected|deleted|inserted"
    r"|written|made|applied))?"
    r"|\(?no (?:output|stdout|return value)\)?|(?:command )?executed successfully.{0,30}"
    r"|(?:the )?\w+ (?:was |has been |have been )?(?:applied|written|saved|created|updated|deleted|removed|added|sent"
    r"|done|recorded|inserted|complete[d]?)(?: successfully)?|successfully \w+(?: .{0,40})?|wrote \d+ \w+.{0,60}"
    r"|(?:successfully )?(?:transferred|handed (?:over|off|back)|delegated|assigned) to .{1,60}"
    r"|success: .{0,60}|(?:INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)(?: [A-Z]+)?(?: \d+){0,2}"
    r"|(?:successfully )?(?:clicked|pressed|typed|scrolled|selected|hovered|tapped|swiped|focused|filled|entered|waited"
    r"|slept|navigated|moved|opened|closed|submitted)\b.{0,120})\s*[.!]?",
    re.I | re.S,
)
GOING_ON = (
    r"pending|running|in[ _-]?progress|queued|processing|waiting|scheduled|starting|initiali[sz]ing|creating"
    r"|\w*creating|provisioning|building|deploying|pulling|downloading|uploading|installing|indexing|transcoding"
    r"|rendering|syncing|migrating|warming up|not (?:yet )?(?:ready|finished|complete|done|available)"
)
_TOLD = r"[\"']?\s*[:=]\s*[\"']?(?=([\w \t-]{1,80}))"
STATES = {"stat": re.compile(rf"stat(?:us|e){_TOLD}"), "phase": re.compile(rf"phase{_TOLD}")}
"""Beginnings of words that name a state, and the state that is told after them; in small letters."""
STATE_GOING_ON = re.compile(rf"(?:\w{{0,20}}[ _-])?(?:{GOING_ON})(?![a-z])")
UNDERWAY = re.compile(rf"(?<![a-z])(?:{GOING_ON})(?![a-z])|\bin (?:the |a )?queue\b")
UNDERWAY_HINTS = ("ing", "not ", "queue", "progress", "scheduled")
"""One of these is in whatever `UNDERWAY` finds in small letters; to look for them costs 0.5 us instead of 30."""
FAILED_RUN = re.compile(
    r"^\s*(?:FAILED|FAIL|ERRORS?)\b(?!\W+0\b)|(?:^|[\s,(])[1-9]\d* (?:failed|failing|failures?|errors?)\b"
    r"|\bfail(?:ed|ures?)[:=] ?[1-9]|^Traceback \(most|\berror (?:TS|CS|C|LNK)\d+|\berror\[E\d+\]|^error: |: error: "
    r"|\bAssertionError\b|\bpanicked at\b"
    r"|\bFailure in\b|\bERROR=[1-9]|npm ERR!|BUILD FAILED|\bexit(?:ed with)?(?: code| status)?[:= ]+[1-9]|--- FAIL:",
    re.M,
)
"""What compilers and test runners print when they fail, though the tool that ran them did what it should."""
FAILURE_HINTS = ("fail", "error", "exit", "traceback", "panicked", "assert", "err!")
"""One of these, in small letters, is in whatever `FAILED_RUN` finds; to look for them costs 1 us instead of 60."""
MISUSE = re.compile(
    r"validation|schema|required|missing \w+ (?:argument|parameter|property|field)|must be"
    r"|invalid (?:argument|parameter|input|json)|expected .{0,40} (?:got|but)"
    r"|unexpected (?:argument|keyword|parameter)",
    re.I,
)
"""Complaints about the form of a call."""
REFUSED = re.compile(
    r"\b(?:call|command|tool|request|action)s?\b.{0,40}\b(?:not executed|blocked|skipped|refused|suppressed|not run)\b"
    r"|\bnothing (?:was|has been) (?:run|executed|done)\b|\bdo not retry\b|\bwas (?:not|never) (?:run|executed)\b"
    r"|\b(?:blocked|refused|not executed)\b.{0,80}\b(?:repeat|identical|duplicate|same|already)",
    re.I,
)
"""What guards put in place of a result."""
REFUSED_HINTS = ("not", "never", "blocked", "refused", "skipped", "suppressed")
"""One of these, in small letters, is in whatever `REFUSED` finds; to look for them costs 0.5 us instead of 10."""
OF = re.compile(r"(?<![\w./-])(\d{1,6})/(\d{1,6})(?![\w./-])")
"""A part of a whole; no date, no path."""
EXIT_KEYS = ("exit_code", "exitCode", "exit_status", "returncode", "return_code")
DATA = re.compile(r"\S[^\n]*\n[ \t]*\S|[A-Za-z]\w*[./\\=(){}<>\[\]][A-Za-z0-9]|[A-Za-z0-9][=(){}<>\[\]][A-Za-z]")
"""Two lines, a path, a name with an extension, an assignment: no status word of any language looks like that."""
STATE_KEYS = ("status", "state", "phase", "job_status", "run_status", "task_status")
FAILED_STATES = ("error", "failed", "failure")
ECHO_KEYS = frozenset(
    "columns fields schema query q page per_page page_size limit offset request_id requestid trace_id timestamp ts "
    "time date id took elapsed "
    "duration next next_page cursor next_cursor has_more status state success ok error message".split()
)
ACK_KEYS = frozenset("ok success status state result message done accepted sent created updated acknowledged".split())
ID_KEY = re.compile(
    r"(?:^|_)(?:id|ID|Id|ts|timestamp|time|at|uuid|txn|number|ref)$|[a-z](?:Id|ID|Ts|Timestamp|Time|At|Uuid|Number|Ref)$"
)
META_KEYS = frozenset("responsemetadata metadata meta _meta headers usage".split())
NOT_FOUND = frozenset("not_found notfound none empty no_results missing".split())
