"""What Loopwatch itself says within a tool's answer: advice at its end, or a refusal in its place.

The words stand between two marks, so that they can be told from what the tool said: they are never evidence. Models
read the marks as what they are, a note of somebody else's.
"""

from __future__ import annotations

BEGIN = "[loopwatch]"
END = "[end of loopwatch]"
WITHIN = 65_536
"""Characters at the end of an answer in which a note is looked for: 1 MB would cost more than its digest."""
BLANK = 256
"""Blank characters before a note that go with it."""
REFUSED = f"{BEGIN} Not executed."
"""How the note begins that stands in the place of a refused call's result."""


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


def noted(text: str) -> bool:
    """Whether a note stands in a text; a longer one is searched at its end, where notes are added."""
    return text.find(BEGIN, -WITHIN) >= 0


def without(text: str) -> str:
    """What the tool itself said: notes go with the blank lines before them; one that was cut has no end."""
    said, place = [], 0
    while (begin := text.find(BEGIN, place)) >= 0:
        said.append(text[place : _end_of_words(text, max(place, begin - BLANK), begin)])
        end = text.find(END, begin)
        place = end + len(END) if end >= 0 else len(text)
    return "".join((*said, text[place:])) if said else text


def _end_of_words(text: str, start: int, stop: int) -> int:
    """Where the blank lines begin that end at ``stop``, in text or in the JSON of a text."""
    while stop > start:
        if text[stop - 1].isspace():
            stop -= 1
        elif stop - 1 > start and text.startswith("\\n", stop - 2):
            stop -= 2
        else:
            break
    return stop
