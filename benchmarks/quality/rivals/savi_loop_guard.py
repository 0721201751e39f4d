"""savi-loop-guard: an event before each call with its agent, tool and time; it takes neither arguments nor results.

``LoopGuard()``: raises at more than 5 calls of an agent in 30 seconds, or more than 5 of one tool (or of like-named
ones).
"""

from __future__ import annotations

from datetime import datetime, timezone

from loop_guard import CallEvent, LoopDetected, LoopGuard

from ..detector import Call, Fired, Session


class _Session:
    def __init__(self) -> None:
        self._guard = LoopGuard()
        self._calls = 0

    def observe(self, call: Call) -> Fired:
        self._calls += 1
        made_at = datetime.fromtimestamp(call.at_ms / 1000, timezone.utc)
        try:
            self._guard.check_before_call(CallEvent(str(self._calls), call.run, made_at, tool_call=call.tool))
        except LoopDetected:
            return Fired.STOPPED
        return Fired.NOTHING


def start() -> Session:
    """A guard of its own."""
    return _Session()
