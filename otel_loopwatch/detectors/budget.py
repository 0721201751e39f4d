"""budget: a limit that the user set, or the line learnt from good runs, was passed. Off unless there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from otel_loopwatch.calibration import UNNAMED, score
from otel_loopwatch.detectors.base import Verdict
from otel_loopwatch.model import Evidence, Kind, Level
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import Budget


def passed(run: Run, budget: Budget, tool: str | None = None, span_id: int = 0) -> Iterator[tuple[str, Verdict]]:
    """Name and verdict of each limit that is passed; critical, for a limit is meant as one."""
    for name, spent, limit in _spending(run, budget, tool):
        if limit is not None and spent > limit:
            tools = (tool,) if tool else ()
            yield name, _verdict(int(spent), tools, span_id, f"passed the budget of {limit:g} {name}")


def crossed(run: Run, lines: Mapping[str, float]) -> Iterator[tuple[str, Verdict]]:
    """The verdict on a run whose score is above the line of its agent (docs/calibration.md)."""
    line = lines.get(run.agent or UNNAMED, inf)
    reached = score(run.effort, run.key)
    if reached > line:
        calls = f"{run.calls} calls, {run.in_vain} of which failed or brought nothing new"
        why = f"reached {reached:.2f} where good runs stay below {line:.2f} ({calls})"
        yield "calibrated line", _verdict(run.effort, (), 0, why)


def _verdict(count: int, tools: tuple[str, ...], span_id: int, why: str) -> Verdict:
    return Verdict(
        kind=Kind.BUDGET,
        level=Level.CRITICAL,
        count=count,
        wasted=0,
        evidence=Evidence.STRONG,
        tools=tools,
        first_span_id=span_id,
        why=why,
    )


def _spending(run: Run, budget: Budget, tool: str | None) -> Iterator[tuple[str, float, float | None]]:
    yield "calls", run.calls, budget.calls
    yield "turns", run.turns, budget.turns
    yield "seconds", (run.last_ns - run.first_ns) / 1e9, budget.seconds
    yield "tokens", run.tokens, budget.tokens
    if tool is not None:
        yield f"calls of {tool}", run.tool_calls.get(tool, 0), budget.calls_per_tool
