"""agent-patrol: each call in words, and the text of its outcome; there is no task or milestone to give it.

``PatrolMonitor()``: it reports, and does nothing else, when the last 4 steps share 80 % of their words, two kinds of
steps alternate, or each of 4 shares 75 % with the one before.
"""

from __future__ import annotations

from agent_patrol import PatrolMonitor

from ..detector import Call, Fired, Session
from .feeding import described, outcome_of


class _Session:
    def __init__(self) -> None:
        self._monitor = PatrolMonitor()

    def observe(self, call: Call) -> Fired:
        report = self._monitor.observe(described(call), outcome_of(call))
        return Fired.NOTHING if report.pathology is None else Fired.WARNED


def start() -> Session:
    """A monitor of its own."""
    return _Session()
