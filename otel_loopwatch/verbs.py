"""What a tool's name tells: whether it changes the world, and whether doing it twice does harm.

Names are hints only. The user's policy (`ToolPolicy.side_effect`) wins, and nothing is stopped because of a name alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

WRITES = frozenset(
    "write edit create update delete remove set add insert append replace patch apply move rename mv put save upload "
    "install commit push merge post send submit pay transfer charge refund book order buy publish deploy execute drop "
    "upsert modify change cancel close open_issue assign reply notify email str_replace mkdir touch format fix trigger "
    "launch start enqueue schedule register".split()
)
"""Verbs of tools that change something when they succeed."""

ONE_SHOT = frozenset(
    "send pay charge refund transfer create insert post submit book order buy purchase publish email notify reply "
    "withdraw deposit invoice ship dispatch sms tweet".split()
)
"""Verbs whose second success is a second payment, message or record."""

EDITS = frozenset("apply edit replace patch write set update put modify change rename".split())
"""Verbs of tools that give something named a new content: once more with the same content changes nothing."""

PRESSES = frozenset("press key keypress hotkey tap swipe scroll volume zoom nudge jog".split())
"""Words of tools that press something: pressed again, it does it again, whatever is said about it."""

STATEFUL = frozenset("submit publish ship deploy push trigger launch start release merge commit".split())
"""Verbs that act on things as they stand: after a change, once more is not the same."""

DRAWS = frozenset("next pop take dequeue receive draw generate random new uuid issue".split())
"""Verbs of tools that give something else each time: a new id is all the news there is."""

NOTES = frozenset("todo todos plan think thought scratchpad memo checklist note reflect jot".split())
"""Words of tools with which an agent writes to itself."""

HAND_OFFS = frozenset("handoff hand".split())
"""Words of tools that give the work to another agent."""

QUESTIONS = frozenset(
    "delegate poll status check get list read view fetch retrieve count verify validate query search find lookup "
    "describe show wait sleep pause scroll swipe zoom hover".split()
)
"""Words that make a tool a wait or a question, whatever its verb."""

WAITS = frozenset("wait sleep pause delay idle".split())
"""Words of tools that let time pass: that they say the same each time says nothing."""

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SPACE = re.compile(r"^.*(?:__|[.:/])(?=.)")
_NO_SPACES = frozenset("functions function tools tool api default default_api multi_tool_use mcp".split())
_ACTION_KEYS = ("action", "op", "operation", "method", "verb", "command", "cmd")
_ACTS = frozenset(_ACTION_KEYS)
_SLEEP = re.compile(r"\s*(?:sleep|Start-Sleep(?: -s(?:econds)?)?|timeout(?: /t)?)\s+[\d.]+[smh]?\s*(?:;\s*)?", re.I)
_SQL_KEYS = ("sql", "query", "statement")
_ASKS = frozenset(_SQL_KEYS)
_ACTION = re.compile(r"[A-Za-z][A-Za-z_-]{1,30}")
_SQL = re.compile(r"\s*(insert|update|delete|drop|create|alter|select|explain|show|with)\s", re.I)
_SQL_QUESTIONS = ("select", "explain", "show", "with")


@lru_cache(maxsize=1024)
def plain_name(tool: str) -> str:
    """The tool's own name: ``mcp__server__search``, ``server.search`` and ``search.tool`` are ``search``."""
    return _SPACE.sub("", tool.removesuffix(".tool"))


@lru_cache(maxsize=1024)
def space_of(tool: str) -> str:
    """The server or module in front of a tool's name; empty for what every tool of a framework has there."""
    found = _SPACE.match(tool.removesuffix(".tool"))
    space = found.group().removeprefix("mcp__").rstrip("_.:/").lower() if found else ""
    return "" if space in _NO_SPACES else space


def deed(tool: str, arguments: Any) -> str:
    """The tool's own name and the verb in its arguments: ``execute_sql insert``, ``message send``, ``request post``."""
    name = plain_name(tool)
    verb = _verb(arguments) if isinstance(arguments, dict) else None
    return f"{name} {verb}" if verb else name


def _verb(arguments: Mapping[str, Any]) -> str | None:
    """The keys are asked for one by one only where there is one of them: 0.3 us instead of 1.2."""
    verb = None if _ACTS.isdisjoint(arguments) else _action(arguments)
    return verb or (None if _ASKS.isdisjoint(arguments) else _statement(arguments))


def _action(arguments: Mapping[str, Any]) -> str | None:
    for key in _ACTION_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and _ACTION.fullmatch(value):
            return value
        if isinstance(value, str) and _SLEEP.fullmatch(value):
            return "sleep"
    return None


def _statement(arguments: Mapping[str, Any]) -> str | None:
    for key in _SQL_KEYS:
        value = arguments.get(key)
        found = _SQL.match(value) if isinstance(value, str) else None
        if found:
            verb = found.group(1).lower()
            return "query" if verb in _SQL_QUESTIONS else verb
    return None


@lru_cache(maxsize=1024)
def _words(tool: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(tool))


@lru_cache(maxsize=1024)
def writes(deed: str) -> bool:
    """Whether the name says that a success changes something."""
    return _has(deed, WRITES) and not harmless(deed)


@lru_cache(maxsize=1024)
def one_shot(deed: str) -> bool:
    """Whether the name says that a second success does harm (``send_payment``; not ``transfer_to_billing``)."""
    return _has(deed, ONE_SHOT) and not harmless(deed)


@lru_cache(maxsize=1024)
def edits(deed: str) -> bool:
    """Whether the name says that something named is given a new content."""
    return _has(deed, EDITS) and not harmless(deed)


@lru_cache(maxsize=1024)
def stateful(deed: str) -> bool:
    """Whether the name says that what is done depends on how things stand."""
    return _has(deed, STATEFUL)


@lru_cache(maxsize=1024)
def draws(deed: str) -> bool:
    """Whether the name says that something else comes each time."""
    return _has(deed, DRAWS)


@lru_cache(maxsize=1024)
def notes(deed: str) -> bool:
    """Whether the name says that the agent writes to itself."""
    return _has(deed, NOTES)


@lru_cache(maxsize=1024)
def hands_over(deed: str) -> bool:
    """Whether the name says that the tool gives the work to another agent."""
    return _words(deed)[:2] in (("transfer", "to"), ("transfer", "back")) or _has(deed, HAND_OFFS)


@lru_cache(maxsize=1024)
def waits(deed: str) -> bool:
    """Whether the name says that the tool lets time pass."""
    return _has(deed, WAITS)


@lru_cache(maxsize=1024)
def presses(deed: str) -> bool:
    """Whether the name says that the tool presses something."""
    return _has(deed, PRESSES)


@lru_cache(maxsize=1024)
def harmless(deed: str) -> bool:
    """Whether the name says that the tool only notes, hands over, waits or asks; a verb in its arguments wins."""
    told = deed.rpartition(" ")[2] if " " in deed else ""
    return hands_over(deed) or notes(deed) or (told not in WRITES and _has(deed, QUESTIONS))


def _has(deed: str, verbs: frozenset[str]) -> bool:
    return any(word in verbs for word in _words(deed))
