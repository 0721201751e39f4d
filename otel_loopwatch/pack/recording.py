"""Series that are worked out once and looked at often, named ``level:metric:operations``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from otel_loopwatch.pack.promql import JOB, Query, Recorded, share
from otel_loopwatch.pack.windows import LENGTHS, WINDOWS
from otel_loopwatch.telemetry import names

BY = (JOB, names.TOOL_NAME)
LEVEL = "job_tool"
CALLS, WASTED = (metric.name.replace(".", "_") for metric in (names.TOOL_CALLS, names.LOOP_WASTED_CALLS))


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording rule."""

    series: Recorded
    expr: str


def wasted_share(over: str) -> Recorded:
    """Share of a tool's calls that was wasted on loops in a window."""
    return Recorded(f"{LEVEL}:{WASTED}_per_{CALLS}:ratio_rate{over}", BY)


def calls(over: str) -> Recorded:
    """Calls of a tool in a window."""
    return Recorded(f"{LEVEL}:{CALLS}:increase{over}", BY)


def recordings(query: Query) -> Iterator[Recording]:
    """All recording rules: the shares in every window, and the calls in those that a burn-rate alert is about."""
    for over in LENGTHS:
        yield Recording(wasted_share(over), wasted_share_expr(query, over))
    for window in WINDOWS:
        yield Recording(calls(window.long), calls_expr(query, window.long))


def wasted_share_expr(query: Query, over: str) -> str:
    """That share, worked out. A loop is told when its calls are past: a short window may hold more waste than calls."""
    return share(query.rate(names.LOOP_WASTED_CALLS, over, by=BY), query.rate(names.TOOL_CALLS, over, by=BY))


def calls_expr(query: Query, over: str) -> str:
    """Those calls, counted."""
    return query.increase(names.TOOL_CALLS, over, by=BY)
