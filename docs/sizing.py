"""What a fleet costs, and what a million agents would need, from benchmarks/fleet/results.json."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "benchmarks" / "fleet" / "results.json"
HEADINGS = ("what", "measured", "target", "verdict", "figures behind it")
ARITHMETIC = ("what", "arithmetic", "is")
AGENTS = 1_000_000
CALLS_PER_S = 1
SPANS_PER_CALL = 4.1
"""2,789 spans of real frameworks tell 684 calls: model spans, steps and agents beside the tools'."""


def rows() -> Iterator[tuple[str, ...]]:
    """Every figure that was measured."""
    for row in _results():
        yield tuple(row[column] for column in ("what", "said", "target", "verdict", "detail"))


def arithmetic() -> Iterator[tuple[str, str, str]]:
    """What a million agents at one call a second would need."""
    figures = {row["name"]: row["figure"] for row in _results() if row["name"]}
    calls = AGENTS * CALLS_PER_S
    spans = calls * SPANS_PER_CALL
    per_core, size = figures["worker spans/s"], figures["bytes per span"]
    cores = math.ceil(spans / per_core)
    gigabytes = AGENTS / 100_000 * figures["memory MB"] / 1024
    yield "spans", f"{AGENTS:,} agents x {CALLS_PER_S} call/s x {SPANS_PER_CALL} spans", f"{spans / 1e6:,.1f} M/s"
    yield "through Kafka", f"x {size:,.0f} bytes, before compression", f"{spans * size / 1e9:,.1f} GB/s"
    yield "workers", f"/ {per_core:,.0f} spans/s, one core each", f"{cores:,} cores"
    yield "partitions", "twice the workers, to grow and to even out", f"{2 * cores:,}"
    yield "memory", f"{figures['memory MB']:,.0f} MB per 100,000 live runs", f"{gigabytes:,.1f} GB in all"
    yield "to read again", f"after a kill, at most the reach: {figures['reach']:,} messages", _again(figures)


def _again(figures: dict[str, Any]) -> str:
    return f"{figures['reach'] * figures['spans per message'] / figures['worker spans/s']:,.0f} s"


def _results() -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    return results
