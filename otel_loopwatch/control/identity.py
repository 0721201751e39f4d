"""What a run is known by: here, and to whoever else watches it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TRACE = re.compile(r"[0-9a-f]{32}(?=/|$)")


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """A run of this process."""

    keys: tuple[str, ...]
    """Its gate's, and that of each span processor that watches it."""
    trace_id: str = ""
    """32 hex digits; empty where it makes its calls outside of every span."""
    agent: str | None = None


def trace_in(key: str) -> str:
    """The trace's id, 32 hex digits, where a run's key begins with it; else empty."""
    found = _TRACE.match(key)
    return found.group() if found is not None else ""
