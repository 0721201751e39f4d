"""The page, the README's table, and the rows about other packages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import costs
import pytest
from cost import others, remembering, replaying, report
from cost.__main__ import written
from cost.exchanges import WORKLOADS
from cost.rows import Part, Row

ROWS = [
    Row(Part.ENGINE, "looping calls", 0.6, "x a bare span", 0.5, "9.6 us against 16.0 us"),
    Row(Part.ENGINE, "calls of no concern", 3.0, "us"),
    Row(Part.MEMORY, "a live run", 3.9, "KB", 4.0),
]
OTHERS = {
    "costs": {
        name: dict.fromkeys(WORKLOADS, cost)
        for name, cost in {"otel-loopwatch": 10.0, "counts": 1.0, "looks": 16.0, "looks, too": 400.0}.items()
    },
    "looks_at_results": ["otel-loopwatch", "looks", "looks, too"],
    "versions": {"counts": "1.0", "looks": "2.0", "looks, too": "3.0"},
    "absent": [],
}


def results(**known: Any) -> dict[str, Any]:
    """What results.json would hold."""
    empty: dict[str, Any] = {
        "environment": {"Python": "3.11.7"},
        "sizes": {"arguments": 200, "result": 1000},
        "rows": [written(row) for row in ROWS],
        "others": None,
        "instructions": None,
        "missing": [],
    }
    return {**empty, **known}


def test_the_page_has_every_figure_under_its_part() -> None:
    """With target, verdict and what is behind it."""
    page = report.markdown(results()).splitlines()
    assert page.index("## Judging a call") < page.index("## Memory")
    assert "| looping calls | 0.6 x a bare span | at most 0.5 | 1.2 times the target | 9.6 us against 16.0 us |" in page
    assert "| calls of no concern | 3 us |  |  |  |" in page
    assert "## Every package" not in page


def test_packages_stand_in_the_order_of_their_cost() -> None:
    """Those that look at results are marked."""
    lines = report.markdown(results(others=OTHERS)).splitlines()
    assert [line for line in lines if line.startswith(("| counts", "| otel-loopwatch", "| looks "))] == [
        "| counts 1.0 |  | 1.0 | 1.0 | 1.0 | 1.0 |",
        "| otel-loopwatch | yes | 10.0 | 10.0 | 10.0 | 10.0 |",
        "| looks 2.0 | yes | 16.0 | 16.0 | 16.0 | 16.0 |",
    ]


def test_what_was_not_measured_is_said() -> None:
    """And the instructions are there where they were counted."""
    page = report.markdown(
        results(missing=["memory: unknown"], instructions={"counter": "perf", "counts": {"ordinary span": 1234.5}})
    )
    assert page.endswith("## Not measured\n\n- memory: unknown\n\n")
    assert "| ordinary span | 1,234 |" in page


def test_the_readme_has_what_has_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under what it is about, without microseconds."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results()), encoding="utf-8")
    monkeypatch.setattr(costs, "RESULTS", path)
    assert list(costs.rows()) == [
        ("**judging a call**", "", "", ""),
        ("looping calls", "0.6 x a bare span", "at most 0.5", "1.2 times the target"),
        ("**memory**", "", "", ""),
        ("a live run", "3.9 KB", "at most 4", "met"),
    ]


def test_the_cheapest_that_looks_at_results_is_the_measure() -> None:
    """Not the one that only counts."""
    first, *_ = rows = list(others.rows(OTHERS))
    assert len(rows) == len(WORKLOADS)
    assert (first.measured, first.unit, first.verdict) == (10 / 16, "x looks", "1.2 times the target")


def test_without_others_nothing_is_compared() -> None:
    """No package, no row."""
    assert not list(others.rows({**OTHERS, "looks_at_results": ["otel-loopwatch"]}))


def test_memory_is_told_by_run_and_by_what_is_left() -> None:
    """Bytes become kilobytes and megabytes; runs remembered are a share of the limit."""
    answers = {("live", length): 3000.0 for length in remembering.LIVE} | {
        ("ended", remembering.ENDED): 2_000_000,
        ("never_ended", remembering.NEVER_ENDED): {"remembered": 10_000, "capacity": 10_000, "growth": 9_000_000},
    }
    told = [(row.said, row.verdict) for row in remembering.rows(answers)]
    assert told == [
        *[("3 KB", "met")] * len(remembering.LIVE),
        ("2 MB", "met"),
        ("1 x `max_runs`", "met"),
        ("9 MB", "2.2 times the target"),
    ]


def test_memory_of_a_file_is_compared_with_that_of_half_the_size() -> None:
    """The file is twice as large; what counts is by how much memory grows."""
    small, large = replaying.SIZES
    (row,) = replaying.memory_rows({small: 600_000_000, large: 660_000_000})
    assert (row.measured, row.detail, row.verdict) == (1.1, "660 MB against 600 MB", "met")
    assert large == 2 * small
