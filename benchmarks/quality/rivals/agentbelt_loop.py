"""agentbelt-loop: each call's arguments and outcome are recorded, then it is checked.

``LoopPolicy()``: raises at 3 like calls in a row (token overlap 0.92), a cycle of 2 to 4 seen 3 times, or 3 like
results of one tool. Every session has a detector of its own, so that what one case taught it does not shorten the next.
"""

from __future__ import annotations

from agentbelt_loop import LoopDetected, LoopDetector

from ..detector import Call, Fired, Session
from .feeding import arguments_of

_SESSION = "run"


class _Session:
    def __init__(self) -> None:
        self._detector = LoopDetector()

    def observe(self, call: Call) -> Fired:
        outcome = call.result if call.error is None else call.error
        self._detector.record(_SESSION, call.tool, arguments_of(call), outcome)
        try:
            self._detector.check(_SESSION)
        except LoopDetected:
            return Fired.STOPPED
        return Fired.NOTHING


def start() -> Session:
    """A detector of its own."""
    return _Session()
