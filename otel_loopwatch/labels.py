"""What frameworks and loggers write around a result, taken off: times, prose, tags, fences, and the number of the call.

A leading number is only a label if it counts calls; whether it does shows from one result to the next (`results`), so
it is handed on beside the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_LAYERS = 4
"""Labels taken off one text."""

MAX_BLANK = 256
"""Blank characters in front of a label; expressions would go over more of them again and again, 30 ms for 64 kB."""

STATUS_CODES = range(100, 600)
"""``503: ..`` is no label but what the result says; calls are seldom counted that far."""

_TIME = re.compile(
    r"""\s*[\[(]?(?:
        \d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?   # ISO
      | \d\d?/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?:\ [+-]\d{4})?                                    # web server
      | [A-Z][a-z]{2}\ +\d\d?\ \d\d:\d\d:\d\d(?:\ [\w.-]+\ [\w./-]+(?:\[\d+\])?:)?                  # syslog
      | \d\d?:\d\d:\d\d(?:[.,]\d+)?
      | 1[5-9]\d{8}(?:\.\d+|\d{3})?
    )[\])]?(?:\ +(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR)\b)?(?:\s*[-:|]\s+|\s+)(?=\S)""",
    re.X,
)
_ANNOUNCED = re.compile(
    r"""\s*(?=\S)(?:
        (?:observation|result|(?:tool\ )?(?:output|result|response)|returned|stdout)\s*(?::|=>|=)\s*
      | (?:exit\ code:\ 0\n)?wall\ time:\ [\d.]+\ seconds\n(?:output:\n)?
    )(?=\S)""",
    re.X | re.I,
)
_INTRODUCED = re.compile(
    r"""\s*(?=\S)(?:
        (?!error|exception|traceback|fail|fatal)[^\n:]{1,60}:[^\S\n]*\n\s*
      | (?!error|exception|traceback|fail|fatal)[^\n]{1,120}\b(?:returned|result|output)\b[^\n]{0,60}[.:]\n\n\s*
    )(?=\S)""",
    re.X | re.I,
)
_TAGS = re.compile(
    r"\s*<((?:function|tool)_?(?:results?|outputs?|response)|results?|outputs?|response|stdout)(?:\s[^<>]*)?>(.*)</\1>\s*",
    re.S,
)
_FENCE = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.S)
_ID = re.compile(
    r"\s*[\[(]?(?:[a-z]{2,8}_)?(?=[A-Za-z]*\d)(?=[a-fA-F0-9]*[G-Zg-z])[A-Za-z0-9]{16,64}[\])]?(?:\s*(?:[:|-]|->|=>))?\s+(?=\S)"
)
"""A random id; one of hex digits only may be the digest of some content."""
_NUMBER = re.compile(
    r"""\s*(?:[\[(\#<]\s*)?([^\W\d_]{1,16}\W{0,2})?0{0,8}(\d{1,6})(?:\s?(?:/|of)\s?\d+)?\s?[\])>]?
    (?:\s?[:.)|\]-]\s+|\t\s*|(?<=[\])>])\s+|\n\s*)(?=\S)""",
    re.X,
)
"""A number with a mark behind it, and perhaps a word before it: ``[3] ``, ``Step 3: ``, ``3/50) ``, ``003 | ``."""
_BEHIND = re.compile(
    r"""(?:\n\s*|\s+(?=[\[(]))[\[(]?(?:(?:remaining|total)\s)?
    (?:tokens?(?:\susage)?|budget|cost|elapsed|duration|took|request.?id)\b[^\n]{0,60}[\])]?\s*$""",
    re.X | re.I,
)
_COSTS = ("token", "budget", "cost", "elapsed", "duration", "took", "request")
"""One of these, in small letters, is in whatever `_BEHIND` finds; to look for them costs 1 us instead of 3."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Bare(NamedTuple):
    """A result without its labels."""

    text: str
    number: int | None = None
    """A number that stood in front."""


def bare(text: str) -> Bare:
    """``text`` without what stands around it; what would leave nothing stays."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if text[:1] == "{" and not _introduces(text):  # begins like no label: 1 us instead of 6
        return Bare(_without_end(text))
    number = None
    for _ in range(MAX_LAYERS):
        if text[:MAX_BLANK].isspace():
            break
        inner = _inner(text)
        found = _NUMBER.match(text) if inner is None and number is None else None
        if found is not None and int(found.group(2)) not in STATUS_CODES:
            number, inner = int(found.group(2)), (found.group(1) or "") + text[found.end() :]
        if inner is None:
            break
        text = inner
    return Bare(_without_end(text), number)


def _inner(text: str) -> str | None:
    """The text within the outermost label, if there is one."""
    around = _TAGS.fullmatch(text) if text[-1:] in ">\n" else _FENCE.fullmatch(text) if text[-3:] == "```" else None
    if around is not None and around.group(around.lastindex or 0).strip():
        return around.group(around.lastindex or 0).strip("\n")
    label = _TIME.match(text) or _prose(text) or _ID.match(text)
    return text[label.end() :] if label else None


def _prose(text: str) -> re.Match[str] | None:
    """Words that hand over a result; a whole line of them is looked for only where the first line ends like one.

    That costs 0.5 us instead of 6.
    """
    return _ANNOUNCED.match(text) or (_INTRODUCED.match(text) if _introduces(text) else None)


def _introduces(text: str) -> bool:
    end = text.find("\n")
    return end >= 0 and (text[end - 1] in ".:" or text[end - 1].isspace() or text[0].isspace())


def _without_end(text: str) -> str:
    """The text without a last line about what the call cost."""
    if not _may_tell_costs(text[-100:]):
        return text
    end = _BEHIND.search(text, max(0, len(text) - 100))
    return text[: end.start()] if end is not None and end.start() > 0 else text


def _may_tell_costs(end: str) -> bool:
    if "\n" not in end and "(" not in end and "[" not in end:
        return False
    lowered = end.lower()
    return any(word in lowered for word in _COSTS)
