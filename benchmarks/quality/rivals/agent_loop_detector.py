"""agent-loop-detector: each call in words with its outcome, in the place of the model's text that it was made for.

``LoopDetector()``: reports the third text in a row that shares 85 % of its words with the one before.
"""

from __future__ import annotations

from agent_loop_detector import LoopDetector

from ..detector import Call, Fired, Session
from .feeding import described, outcome_of


class _Session:
    def __init__(self) -> None:
        self._detector = LoopDetector()

    def observe(self, call: Call) -> Fired:
        event = self._detector.check(f"{described(call)} -> {outcome_of(call)}")
        return Fired.NOTHING if event is None else Fired.WARNED


def start() -> Session:
    """A detector of its own."""
    return _Session()
