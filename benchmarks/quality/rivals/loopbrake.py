"""loopbrake: asked before each call whether one more would pass the stop line, then told the call and its outcome.

Its line is calibrated, by its own function and at its alpha of 5 %, on the lengths of past good runs that the
scoreboard gives: it stops a run that makes more calls than 95 % of those, and only watches where there are fewer than
19 of them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loopbrake
from loopbrake.signals import Step
from loopbrake.traces import Run, write_runs

from ..detector import Call, Fired, Session
from .feeding import described, outcome_of

_PROJECT = "scoreboard"
_NOWHERE = Path("unused")
"""Nothing is recorded, so that nothing is written."""


class _Session:
    def __init__(self, calibration: dict[str, Any]) -> None:
        self._brake = loopbrake.Brake(_PROJECT, "session", "run", _NOWHERE, calibration, record=False)

    def observe(self, call: Call) -> Fired:
        if self._brake.would_stop(1):
            return Fired.STOPPED
        decision = self._brake.step(described(call), outcome_of(call), tool=call.tool, error=call.error is not None)
        return Fired.STOPPED if decision.stop else Fired.NOTHING


def start(good_runs: tuple[int, ...]) -> Session:
    """A run under the line that these numbers of calls give."""
    return _Session(_calibrated(good_runs))


@cache
def _calibrated(good_runs: tuple[int, ...]) -> dict[str, Any]:
    with TemporaryDirectory() as home:
        runs = f"{home}/good_runs.jsonl"
        write_runs(runs, [_run(str(task), length) for task, length in enumerate(good_runs)])
        calibration: dict[str, Any] = loopbrake.calibrate(runs, project=_PROJECT, home=home)
    return calibration


def _run(task: str, length: int) -> Run:
    # Only the number of steps counts.
    step = Step(action="call", observation="", error=None, tokens=0)
    return Run("", "", task, run=task, success=True, exit=None, tokens_measured=False, steps=(step,) * length)
