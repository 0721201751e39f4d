"""Other packages, shown the same calls: microseconds of CPU per observed call, the median over the calls.

``python -m cost.others``, in an environment that has them (`make quality` makes one), prints the figures as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from statistics import median
from typing import Any, cast

from quality.detector import Call, Fired, Session
from quality.rivals import RIVALS, Rival

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import ToolCall

from .exchanges import CALLS_PER_RUN, WORKLOADS, Workload
from .rows import Part, Row
from .timing import pinned

OURS = "otel-loopwatch"
ROUNDS = 5
PATIENCE_S = 8.0
"""CPU time after which a package is shown no further run of a workload."""
GOOD_RUNS = (CALLS_PER_RUN * 2,) * 40
"""For a package that learns how long good runs are: longer than those it is shown, so that it stops none."""
FACTOR = 0.5
"""At most this much of what the cheapest package costs that looks at results."""
STEP_MS, DURATION_MS = 3000, 500


class _Ours:
    """The engine, made a call of each."""

    def __init__(self) -> None:
        self._engine = Engine()

    def observe(self, call: Call) -> Fired:
        observation = self._engine.observe(
            ToolCall(
                run=call.run,
                group=call.case,
                tool=call.tool,
                arguments=call.arguments,
                result=call.result,
                agent=call.agent,
                start_ns=call.at_ms * 1_000_000,
                end_ns=call.end_ns,
            )
        )
        return Fired.WARNED if observation.signals else Fired.NOTHING


@dataclass(frozen=True, slots=True)
class Ours:
    """This package, among the others."""

    name: str = OURS
    version: str = ""

    def start(self) -> Session:
        """An engine of its own."""
        return _Ours()


class _Noticing:
    """A call that notices whether its result is asked for."""

    def __init__(self, call: Call) -> None:
        self.asked = False
        self._call = call

    def __getattr__(self, name: str) -> Any:
        self.asked = self.asked or name == "result"
        return getattr(self._call, name)


def figures() -> dict[str, Any]:
    """Those of this package and of every installed one by its name, and the names of those that are not installed."""
    present = [rival for rival in RIVALS if rival.installed]
    subjects: list[Ours | Rival] = [Ours(), *(_taught(rival) for rival in present)]
    costs: dict[str, dict[str, float]] = {subject.name: {} for subject in subjects}
    for name, workload in WORKLOADS.items():
        for subject, microseconds in zip(subjects, _in_turn(subjects, workload), strict=True):
            costs[subject.name][name] = microseconds
    return {
        "costs": costs,
        "looks_at_results": [subject.name for subject in subjects if looks_at_results(subject)],
        "versions": {rival.name: rival.version for rival in present},
        "absent": [rival.name for rival in RIVALS if not rival.installed],
    }


def rows(known: Mapping[str, Any]) -> Iterator[Row]:
    """Per workload: against the cheapest package that looks at results."""
    costs = known["costs"]
    rivals = [name for name in known["looks_at_results"] if name != OURS]
    for workload in WORKLOADS if rivals else ():
        cheapest = min(rivals, key=lambda name: float(costs[name][workload]))
        mine, theirs = costs[OURS][workload], costs[cheapest][workload]
        detail = f"{mine:.1f} us against {theirs:.1f} us"
        yield Row(Part.OTHERS, f"calls, {workload}", mine / theirs, f"x {cheapest}", FACTOR, detail)


def looks_at_results(subject: Ours | Rival) -> bool:
    """Whether its adapter asks a call for its result."""
    noticing = [_Noticing(call) for call in _calls(WORKLOADS["distinct"], Random(1), 3)]
    session = subject.start()
    for call in noticing:
        _observe(session, cast("Call", call))
    return any(call.asked for call in noticing)


def _taught(rival: Rival) -> Rival:
    return replace(rival, good_runs=GOOD_RUNS) if rival.learns else rival


def _in_turn(subjects: Sequence[Ours | Rival], workload: Workload) -> list[float]:
    """Microseconds per call of each, over some runs that all are shown."""
    spent: list[list[float]] = [[] for _ in subjects]
    random = Random(8)
    for number in range(ROUNDS):
        calls = _calls(workload, random, number)
        for subject, so_far in zip(subjects, spent, strict=True):
            if sum(so_far) < PATIENCE_S * 1e6:
                session = subject.start()
                so_far += [_observe(session, call) for call in calls]
    return [median(one) for one in spent]


def _observe(session: Session, call: Call) -> float:
    """Microseconds; a package that fails has spent them, too."""
    started = time.process_time_ns()
    with suppress(Exception):
        session.observe(call)
    return (time.process_time_ns() - started) / 1000


def _calls(workload: Workload, random: Random, number: int) -> list[Call]:
    """One run, with arguments as JSON values."""
    run = f"run-{number}"
    return [
        Call(
            run,
            run,
            one.tool,
            json.loads(one.arguments),
            one.result,
            agent="agent",
            at_ms=position * STEP_MS,
            end_ns=(position * STEP_MS + DURATION_MS) * 1_000_000,
        )
        for position, one in enumerate(islice(workload(random), CALLS_PER_RUN), 1)
    ]


if __name__ == "__main__":
    with pinned(), redirect_stdout(sys.stderr):  # packages print
        found = figures()
    print(json.dumps(found))
