"""snagtrace: a span per call with its agent, arguments, status and time; the whole trace is diagnosed after each.

``LoopDetector()``, the one of its detectors that is about loops: the same call by the same agent 3 times in 6 is
reported.
"""

from __future__ import annotations

from snagtrace import Doctor, LoopDetector, Span

from ..detector import Call, Fired, Session
from .feeding import arguments_of


class _Session:
    def __init__(self) -> None:
        self._doctor = Doctor(detectors=[LoopDetector()])
        self._steps = 0

    def observe(self, call: Call) -> Fired:
        self._steps += 1
        self._doctor.feed(
            Span(
                step_id=self._steps,
                agent_id=call.run,
                tool=call.tool,
                args=arguments_of(call),
                status="ok" if call.error is None else "error",
                error=call.error,
                timestamp=call.at_ms / 1000,
            )
        )
        faults = self._doctor.diagnose().faults
        return Fired.WARNED if any(fault.step_id == self._steps for fault in faults) else Fired.NOTHING


def start() -> Session:
    """A doctor of its own."""
    return _Session()
