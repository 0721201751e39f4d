"""Exchanges as the engine is given them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from random import Random

from otel_loopwatch.model import ToolCall

from .exchanges import Exchange, Workload, runs

GAP_NS = 3_000_000_000
DURATION_NS = 500_000_000
_numbers = count(1)
"""Of runs, so that no two share one."""


def calls(workload: Workload, number: int, random: Random) -> list[ToolCall]:
    """So many calls of new runs."""
    return [call for exchanges in runs(workload, number, random) for call in of_run(exchanges)]


def of_run(exchanges: Iterable[Exchange]) -> Iterator[ToolCall]:
    """The calls of a new run, with what the span processor knows of each."""
    trace = f"{next(_numbers):032x}"
    for position, one in enumerate(exchanges, 1):
        yield ToolCall(
            run=trace,
            group=trace,
            tool=one.tool,
            arguments=one.arguments,
            result=one.result,
            agent="agent",
            call_id=f"call_{position}",
            start_ns=position * GAP_NS,
            end_ns=position * GAP_NS + DURATION_NS,
            span_id=position,
        )
