"""How well loops are told from good work: the table of the README, from benchmarks/quality/results.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "benchmarks" / "quality" / "results.json"

Figures = Mapping[str, Any]
"""What is known of one detector."""
HEADINGS = (
    "detector",
    "loops in time",
    "false alarms",
    "false stops",
    "failed runs warned",
    "good runs warned",
    "failed runs stopped",
    "good runs stopped",
)
RIVALS, RULES = 6, 2
"""How many of the others are shown: the best packages, the best plain rules."""


def overview() -> Iterator[tuple[str, ...]]:
    """A row for each set-up of this package and for each of the best others, all suites of cases taken together."""
    detectors = json.loads(RESULTS.read_text(encoding="utf-8"))["detectors"]
    first = next(iter(detectors))
    ours = [item for item in detectors.items() if item[0].partition(",")[0] == first]
    others = [item for item in detectors.items() if item not in ours]
    others.sort(key=lambda other: _lead(other[1]), reverse=True)
    packages = [other for other in others if other[1]["version"]][:RIVALS]
    rules = [other for other in others if not other[1]["version"]][:RULES]
    for shown, figures in [*ours, *packages, *rules]:
        yield f"{shown} {figures['version']}".strip(), *_cells(figures)


def _lead(figures: Figures) -> int:
    """By how much more often a detector was right than wrong."""
    return _sum(figures, "in_time") - _sum(figures, "false_alarms")


def _cells(figures: Figures) -> Iterator[str]:
    yield f"{_sum(figures, 'in_time')} of {_sum(figures, 'loops')}"
    yield f"{_sum(figures, 'false_alarms')} of {_sum(figures, 'legitimate')}"
    yield str(_sum(figures, "false_stops"))
    known = figures["corpora"].get("all")
    for level in ("warned", "stopped"):
        for outcome in ("failure", "success"):
            yield f"{known[level][outcome]['hit']} of {known[level][outcome]['runs']}" if known else ""


def _sum(figures: Figures, of: str) -> int:
    return sum(int(suite[of]) for suite in figures["suites"].values())
