"""agent-vitals: after each call, the number of different outcomes so far, failures, text in tokens, and the outcome.

``AgentVitals()``: findings that stay level over half of the run with like output or level coverage, many errors and
token bursts raise flags. There is no measure of coverage to give, so it gets the share of calls that found something
new.
"""

from __future__ import annotations

from agent_vitals import AgentVitals
from agent_vitals.config import get_vitals_config

from ..detector import Call, Fired, Session
from .feeding import described, outcome_of

_CHARACTERS_PER_TOKEN = 4
_DEFAULTS = get_vitals_config()
"""What it would read from its file for every session anew."""


class _Session:
    def __init__(self) -> None:
        self._monitor = AgentVitals(config=_DEFAULTS)
        self._found: set[str] = set()
        self._calls = self._failures = self._characters = 0

    def observe(self, call: Call) -> Fired:
        outcome = outcome_of(call)
        self._calls += 1
        self._characters += len(described(call)) + len(outcome)
        if call.error is None:
            self._found.add(described(call) + outcome)
        else:
            self._failures += 1
        snapshot = self._monitor.step(
            findings_count=len(self._found),
            coverage_score=len(self._found) / self._calls,
            total_tokens=self._characters // _CHARACTERS_PER_TOKEN,
            error_count=self._failures,
            query_count=self._calls,
            output_text=outcome,
        )
        return Fired.WARNED if snapshot.any_failure else Fired.NOTHING


def start() -> Session:
    """A monitor of its own."""
    return _Session()
