"""What a tool's name tells: whether it changes the world, and whether doing it twice does harm.

Names are hints only. The user's policy (`ToolPolicy.side_effect`) wins, and nothing is stopped because of a name alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

WRITES = frozenset(
    "write edit create update delete remove set add insert append replace patch apply move rename mv put save upload "
    "install commit push merge post send submit pay transfer charge refund book order buy publish deploy execute drop "
    "upsert modify change cancel close open_issue assign reply notify email str_replace mkdir touch format fix".split()
)
"""Verbs of tools that change something when they succeed."""

ONE_SHOT = frozenset(
    "send pay charge refund transfer create insert post submit book order buy purchase publish email notify reply "
    "withdraw deposit invoice ship dispatch sms tweet".split()
)
"""Verbs whose second success is a second payment, message or record."""

NOTES = frozenset("todo todos plan think thought scratchpad memo checklist note reflect".split())
"""Words of tools with which an agent writes to itself."""

HAND_OFFS = frozenset("handoff hand delegate".split())
"""Words of tools that give the work to another agent."""

QUESTIONS = frozenset(
    "poll status check get list read fetch query search find lookup describe show wait sleep pause".split()
)
"""Words that make a tool a wait or a question, whatever its verb."""

WAITS = frozenset("wait sleep pause delay idle".split())
"""Words of tools that let time pass: that they say the same each time says nothing."""

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_MCP = re.compile(r"^mcp__[^_]+(?:_[^_]+)*__")


@lru_cache(maxsize=1024)
def plain_name(tool: str) -> str:
    """The tool's own name: ``mcp__server__search`` and ``search.tool`` are ``search``."""
    return _MCP.sub("", tool).removesuffix(".tool")


@lru_cache(maxsize=1024)
def _words(tool: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(plain_name(tool)))


@lru_cache(maxsize=1024)
def writes(tool: str) -> bool:
    """Whether the name says that a success changes something."""
    return _has(tool, WRITES) and not harmless(tool)


@lru_cache(maxsize=1024)
def one_shot(tool: str) -> bool:
    """Whether the name says that a second success does harm (``send_payment``; not ``transfer_to_billing``)."""
    return _has(tool, ONE_SHOT) and not harmless(tool)


@lru_cache(maxsize=1024)
def notes(tool: str) -> bool:
    """Whether the name says that the agent writes to itself."""
    return _has(tool, NOTES)


@lru_cache(maxsize=1024)
def hands_over(tool: str) -> bool:
    """Whether the name says that the tool gives the work to another agent."""
    return _words(tool)[:2] in (("transfer", "to"), ("transfer", "back")) or _has(tool, HAND_OFFS)


@lru_cache(maxsize=1024)
def waits(tool: str) -> bool:
    """Whether the name says that the tool lets time pass."""
    return _has(tool, WAITS)


@lru_cache(maxsize=1024)
def harmless(tool: str) -> bool:
    """Whether the name says that the tool only notes, hands over, waits or asks."""
    return hands_over(tool) or notes(tool) or _has(tool, QUESTIONS)


def _has(tool: str, verbs: frozenset[str]) -> bool:
    return any(word in verbs for word in _words(tool))
