"""agentguard47: its loop guard is asked before each call, its ``RetryGuard`` is told success or failure after it.

``LoopGuard()`` raises at the third identical call in a row, ``FuzzyLoopGuard()`` (a row of its own) at 5 calls of one
tool in 10 or 3 alternations of two tools; ``RetryGuard()`` raises at the fourth failure of a tool without a success.
"""

from __future__ import annotations

from agentguard import FuzzyLoopGuard, LoopDetected, LoopGuard, RetryGuard, RetryLimitExceeded

from ..detector import Call, Fired, Session
from .feeding import arguments_of


class _Session:
    def __init__(self, loops: LoopGuard | FuzzyLoopGuard) -> None:
        self._loops = loops
        self._retries = RetryGuard()

    def observe(self, call: Call) -> Fired:
        event = "tool.result" if call.error is None else "tool.error"
        try:
            self._loops.check(call.tool, arguments_of(call))
            self._retries.auto_check(event, {"tool_name": call.tool})
        except (LoopDetected, RetryLimitExceeded):
            return Fired.STOPPED
        return Fired.NOTHING


def start() -> Session:
    """Guards of its own, the exact one for loops."""
    return _Session(LoopGuard())


def start_fuzzy() -> Session:
    """Guards of its own, the fuzzy one for loops."""
    return _Session(FuzzyLoopGuard())
