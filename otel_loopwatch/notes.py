"""What Loopwatch itself says within a tool's answer: advice at its end, or a refusal in its place.

The words stand between two marks, so that they can be told from what the tool said: they are never evidence. Models
read the marks as what they are, a note of somebody else's.
"""

from __future__ import annotations

import re

BEGIN = "[loopwatch]"
END = "[end of loopwatch]"
REFUSED = f"{BEGIN} Not executed."
"""How the note begins that stands in the place of a refused call's result."""

_NOTE = re.compile(r"(?:\s|\\n)*\[loopwatch\].*?(?:\[end of loopwatch\]|\Z)", re.DOTALL)
"""With the blank lines before it, in text or in the JSON of a text; one that was cut has no end."""


def nudge(advice: str) -> str:
    """The note that is added to an answer."""
    return f"{BEGIN} {advice} {END}"


def refusal(advice: str) -> str:
    """The note that takes an answer's place."""
    return f"{REFUSED} {advice} {END}"


def farewell(advice: str) -> str:
    """What a halted run says instead of its answer."""
    return f"{BEGIN} Stopped. {advice} {END}"


def added(text: str, note: str) -> str:
    """An answer with a note at its end."""
    return f"{text}\n\n{note}" if text else note


def is_refusal(text: str) -> bool:
    """Whether a result says that the call never ran."""
    return REFUSED in text


def without(text: str) -> str:
    """What the tool itself said."""
    return _NOTE.sub("", text) if BEGIN in text else text
