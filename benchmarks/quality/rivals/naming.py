"""What a tool is for, by the words of its name: for packages whose owners classify their tools by hand."""

from __future__ import annotations

import re
from enum import Enum


class Purpose(Enum):
    """What calling a tool does."""

    LOOK = "look"
    SEARCH = "search"
    WRITE = "write"
    """Changes what the agent works on."""
    ACT = "act"
    """Reaches other people or money: once is meant once."""
    RUN = "run"


_WORDS = {
    Purpose.ACT: "book buy cancel charge email order pay post publish purchase refund reply send submit transfer",
    Purpose.WRITE: "add append apply assign commit create delete deploy edit insert install merge modify move patch "
    "push put remove rename replace save set update upload write",
    Purpose.SEARCH: "find glob grep lookup query search",
    Purpose.LOOK: "cat check describe fetch get goto list ls open poll read scroll show status view wait",
}
_PURPOSES = {word: purpose for purpose, words in _WORDS.items() for word in words.split()}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def purpose_of(tool: str) -> Purpose:
    """The purpose of the first word that tells one; a tool whose name tells none runs something."""
    words = (word.lower() for word in _WORD.findall(tool))
    return next((_PURPOSES[word] for word in words if word in _PURPOSES), Purpose.RUN)
