"""budget: a limit that the user set was passed. Off unless a limit is set."""

from __future__ import annotations

from collections.abc import Iterator

from otel_loopwatch.detectors.base import Verdict
from otel_loopwatch.model import Evidence, Kind, Level
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import Budget


def passed(run: Run, budget: Budget, tool: str | None = None, span_id: int = 0) -> Iterator[tuple[str, Verdict]]:
    """Name and verdict of each limit that is passed; critical, for a limit is meant as one."""
    for name, spent, limit in _spending(run, budget, tool):
        if limit is not None and spent > limit:
            yield (
                name,
                Verdict(
                    kind=Kind.BUDGET,
                    level=Level.CRITICAL,
                    count=int(spent),
                    wasted=0,
                    evidence=Evidence.STRONG,
                    tools=(tool,) if tool else (),
                    first_span_id=span_id,
                    why=f"passed the budget of {limit:g} {name}",
                ),
            )


def _spending(run: Run, budget: Budget, tool: str | None) -> Iterator[tuple[str, float, float | None]]:
    yield "calls", run.calls, budget.calls
    yield "turns", run.turns, budget.turns
    yield "seconds", (run.last_ns - run.first_ns) / 1e9, budget.seconds
    yield "tokens", run.tokens, budget.tokens
    if tool is not None:
        yield f"calls of {tool}", run.tool_calls.get(tool, 0), budget.calls_per_tool
