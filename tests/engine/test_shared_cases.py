"""Public reports and scenarios, where the collection lies beside the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, Level, LoopSignal
from otel_loopwatch.sources.cases import calls

CASES = Path(__file__).parents[3] / "shared" / "cases"

pytestmark = pytest.mark.skipif(
    not CASES.is_dir(), reason="the shared collection of cases is not beside the repository"
)


@dataclass(frozen=True, slots=True)
class Score:
    """How a file of cases was judged; the lists hold the ids of cases."""

    loops: int
    late: list[str]
    """Loops that were not signalled by the call they should have been, or as another kind."""
    false_alarms: list[str]
    false_stops: list[str]


def signals_of(record: dict[str, Any]) -> list[tuple[int, LoopSignal]]:
    """Signals of a case, with the number of the call within the case."""
    engine = Engine()
    found = enumerate(calls(record, record["id"]), 1)
    return [(number, signal) for number, item in found if item for signal in engine.observe(item).signals]


def in_time(expected: dict[str, Any], signals: list[tuple[int, LoopSignal]]) -> bool:
    """Whether the first signal that counts came early enough and as a fitting kind."""
    counted = [item for item in signals if item[0] >= expected.get("not_before", 1)]
    if not counted or counted[0][0] > expected["by_step"]:
        return False
    kind = counted[0][1].kind
    return kind.value in expected["kinds"] or (kind is Kind.DUPLICATE_WRITE and "identical" in expected["kinds"])


def score(name: str) -> Score:
    """Judge every case of a file."""
    loops, late, alarms, stops = 0, [], [], []
    for line in (CASES / name).read_text(encoding="utf-8").splitlines():
        record = msgspec.json.decode(line)
        expected, signals = record["expect"], signals_of(record)
        if not expected["loop"]:
            alarms += [record["id"]] if signals else []
            stops += [record["id"]] if any(signal.level is Level.CRITICAL for _, signal in signals) else []
            continue
        loops += 1
        alarms += [record["id"]] if any(number < expected.get("not_before", 1) for number, _ in signals) else []
        late += [] if in_time(expected, signals) else [record["id"]]
    return Score(loops, late, alarms, stops)


@pytest.mark.parametrize(
    ("name", "loops", "least", "most_alarms"), [("reports.jsonl", 37, 34, 1), ("scenarios.jsonl", 15, 15, 0)]
)
def test_cases_are_judged_well(name: str, loops: int, least: int, most_alarms: int) -> None:
    """Loops are seen in time, good work is hardly ever flagged and never stopped."""
    found = score(name)
    assert found.loops == loops
    assert found.loops - len(found.late) >= least, found.late
    assert len(found.false_alarms) <= most_alarms, found.false_alarms
    assert found.false_stops == []
