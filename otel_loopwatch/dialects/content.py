"""Which attributes hold what users, models and tools said: the sum of what all dialects declare."""

from __future__ import annotations

from functools import lru_cache

from otel_loopwatch.dialects.registry import DIALECTS

STRUCTURE = frozenset(
    "role type id tool_call_id name finish_reason index mime_type score model system operation".split()
)
"""Last parts of names, below a prefix and in events, that say how a message is built and not what it says."""

EXCEPTION = frozenset({"exception.message", "exception.stacktrace"})
MESSAGE_EVENTS = ("gen_ai.", "llm.")
"""Beginnings of the names of events that carry messages."""

_DECLARED = frozenset(
    key for dialect in DIALECTS for key in (*dialect.argument_keys, *dialect.result_keys, *dialect.content_keys)
)
_PREFIXES = tuple(sorted(key for key in _DECLARED if key.endswith(".")))


@lru_cache(maxsize=4096)
def holds_content(key: str) -> bool:
    """Whether a span's attribute of this name holds content."""
    return key in _DECLARED or (key.startswith(_PREFIXES) and not _is_structure(key))


def event_holds_content(event: str, key: str) -> bool:
    """Whether an event's attribute does."""
    if event.startswith(MESSAGE_EVENTS):
        return not _is_structure(key)
    return key in EXCEPTION or holds_content(key)


def _is_structure(key: str) -> bool:
    return key.rpartition(".")[2] in STRUCTURE
