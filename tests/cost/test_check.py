"""The check on instruction counts: what it refuses, what it lets pass, and what it does not compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cost import check

COUNTS = {"engine, looping": 20_000.0, "ordinary span": 1000.0}


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A baseline stored under today's conditions, and a counter that counts the same."""
    path = tmp_path / "baseline.json"
    monkeypatch.setattr(check, "BASELINE", path)
    counting(monkeypatch, COUNTS)
    path.write_text(check.written(check.conditions("valgrind"), COUNTS), encoding="utf-8")
    return path


def counting(monkeypatch: pytest.MonkeyPatch, counts: dict[str, float], counter: str | None = "valgrind") -> None:
    """The counter says so from now on."""
    monkeypatch.setattr(check, "counter", lambda: counter)
    monkeypatch.setattr(check, "count", lambda _: counts)


@pytest.mark.parametrize(
    ("now", "code"), [(20_000, 0), (22_000, 0), (22_001, 1), (9_000, 0)], ids=["same", "+10 %", "more", "less"]
)
@pytest.mark.usefixtures("baseline")
def test_more_than_a_tenth_is_too_many(
    now: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code says so, and the line of the work that grew."""
    counting(monkeypatch, {**COUNTS, "engine, looping": now})
    assert check.main([]) == code
    looping, ordinary = capsys.readouterr().out.splitlines()
    assert looping.endswith("TOO MANY") == bool(code)
    assert ordinary.endswith("+0.0%")


@pytest.mark.usefixtures("baseline")
def test_new_work_is_no_growth(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said to be new."""
    counting(monkeypatch, {"tool span": 5.0})
    assert check.main([]) == 0
    assert "not in the baseline" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["python", "opentelemetry-sdk", "counter", "machine"])
def test_other_conditions_are_not_compared(
    name: str, baseline: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many instructions there are now; what differs is named."""
    stored = json.loads(baseline.read_text(encoding="utf-8"))
    stored["conditions"][name] = "other"
    baseline.write_text(json.dumps(stored), encoding="utf-8")
    counting(monkeypatch, {"engine, looping": 1e9})
    assert check.main([]) == 0
    assert f"Not compared: the baseline was stored with {name} other (here: " in capsys.readouterr().out


@pytest.mark.usefixtures("baseline")
def test_without_a_counter_nothing_is_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said what would be needed."""
    counting(monkeypatch, {}, counter=None)
    assert check.main([]) == 0
    assert "valgrind" in capsys.readouterr().out


def test_a_baseline_is_renewed(baseline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was too many before is the measure from then on."""
    counting(monkeypatch, {"engine, looping": 90_000.4})
    assert check.main(["--renew"]) == 0
    assert json.loads(baseline.read_text(encoding="utf-8"))["instructions"] == {"engine, looping": 90_000}
    assert check.main([]) == 0
