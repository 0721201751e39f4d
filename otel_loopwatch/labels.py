"""What frameworks and loggers write around a result, taken off: times, prose, tags, fences, and the number of the call.

A leading number is only a label if it counts calls; whether it does shows from one result to the next (`results`), so
it is handed on beside the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_LAYERS = 4
"""Labels taken off one text."""

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
_PROSE = re.compile(
    r"""\s*(?:
        (?:observation|result|(?:tool\ )?(?:output|result|response)|returned|stdout)\s*(?::|=>|=)\s*
      | (?:exit\ code:\ 0\n)?wall\ time:\ [\d.]+\ seconds\n(?:output:\n)?
      | (?!error|exception|traceback|fail|fatal)[^\n:]{1,60}:\s*\n\s*
      | (?!error|exception|traceback|fail|fatal)[^\n]{1,120}\b(?:returned|result|output)\b[^\n]{0,60}[.:]\n\n\s*
    )(?=\S)""",
    re.X | re.I,
)
_TAGS = re.compile(
    r"\s*<((?:function|tool)_?(?:results?|outputs?|response)|results?|outputs?|response|stdout)>(.*)</\1>\s*", re.S
)
_FENCE = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.S)
_NUMBER = re.compile(
    r"""\s*(?:
        \[(\d{1,6})(?:/\d+)?\]:?\s+ | \((\d{1,6})(?:/\d+)?\)\s+ | \#(\d{1,6})[:.)]?\s+ | (\d{1,6})\t
      | (?:step|turn|call|iteration|round|attempt|message|line|in|out)\s*\#?\[?(\d{1,6})\]?(?:\s*(?:/|of)\s*\d+)?\s*[:.)|\]-]*\s+
    )(?=\S)""",
    re.X | re.I,
)


class Bare(NamedTuple):
    """A result without its labels."""

    text: str
    number: int | None = None
    """A number that stood in front."""


def bare(text: str) -> Bare:
    """``text`` without what stands around it; what would leave nothing stays."""
    number = None
    for _ in range(MAX_LAYERS):
        inner = _inner(text)
        found = None if inner is not None or number is not None else _NUMBER.match(text)
        if found is not None:
            number, inner = int(next(filter(None, found.groups()))), text[found.end() :]
        if inner is None:
            break
        text = inner
    return Bare(text, number)


def _inner(text: str) -> str | None:
    """The text within the outermost label, if there is one."""
    around = _TAGS.fullmatch(text) if text[-1:] in ">\n" else _FENCE.fullmatch(text) if text[-3:] == "```" else None
    if around is not None and around.group(around.lastindex or 0).strip():
        return around.group(around.lastindex or 0).strip("\n")
    label = _TIME.match(text) or _PROSE.match(text)
    return text[label.end() :] if label else None
