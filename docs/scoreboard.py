"""How well loops are told from good work, as the README says it, from benchmarks/quality/results.json."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

WIDTH = 120
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


SUMMARY = """\
At default settings, {in_time} of {loops} scripted loops are signalled in time ({kind_right} as the kind they are;
median of wasted calls by then: {wasted:g}); of {good} pieces of good work that look like loops, {alarms} are warned of
and {stops} stopped. {runs}All cases are told in {ways} other ways as well. Where the evidence stays in place, the
hardest way ({hardest}) leaves {kept} loops in time, and the most misleading one ({misleading}) has {misled} false
alarms. False stops in all of them together: {broken}.
"""
RUNS = """\
Of {good} recorded runs that ended well, {warned} are warned of and {stopped} stopped (95 % interval: up to
{bound:.1%}).
"""


def summary() -> str:
    """How this package stands, in a few sentences."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    ours = next(iter(results["detectors"].values()))
    kept = [row for row in results["rewritten"] if row["keeps_evidence"]]
    hardest = min(kept, key=lambda row: int(row["in_time"]))
    misleading = max(kept, key=lambda row: int(row["false_alarms"]))
    said = SUMMARY.format(
        **{name: _sum(ours, name) for name in ("in_time", "loops", "kind_right")},
        wasted=max(suite["wasted_before_signal"] for suite in ours["suites"].values()),
        alarms=_sum(ours, "false_alarms"),
        good=_sum(ours, "legitimate"),
        stops=_sum(ours, "false_stops"),
        runs=_runs(ours["corpora"].get("all")) + " ",
        ways=len(results["rewritten"]) - 1,
        hardest=hardest["rewritten"],
        kept=hardest["in_time"],
        misleading=misleading["rewritten"],
        misled=misleading["false_alarms"],
        broken=sum(row["false_stops"] for row in results["rewritten"]),
    )
    return textwrap.fill(" ".join(said.split()), WIDTH)


def _runs(known: Figures | None) -> str:
    if known is None:
        return ""
    warned, stopped = (known[level]["success"] for level in ("warned", "stopped"))
    bound = stopped["interval"][1]
    return RUNS.format(good=warned["runs"], warned=warned["hit"], stopped=stopped["hit"], bound=bound)


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
