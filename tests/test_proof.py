"""Tables of what was seen in runs of real packages."""

import json
from pathlib import Path
from typing import Any

import proof
import pytest

LOOP = [{"signal": "identical warning find 4", "evidence": "strong"}, {"signal": "identical critical find 9"}]


def seen(signals: list[dict[str, str]] = LOOP, **more: Any) -> dict[str, Any]:
    """One scenario's result."""
    return {"signals": signals, "calls": {"find": 8}, "wrong": [], **more}


def entry(**modes: dict[str, Any]) -> dict[str, Any]:
    """A row that was run, by content mode and scenario."""
    return {
        "framework": "Frame",
        "instrumentation": "Inst",
        "shows": ["frame"],
        "versions": {"frame": "1.0", "some-instrumentation-frame": "2.0", "sdk": "3.0"},
        "content": {mode: {"scenarios": scenarios} for mode, scenarios in modes.items()},
    }


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file that takes the place of the real results."""
    path = tmp_path / "results.json"
    monkeypatch.setattr(proof, "RESULTS", path)
    return path


@pytest.mark.parametrize(
    ("row", "with_content", "by_default"),
    [
        (entry(default={"looping": seen()}), "call 4", "the same"),
        (entry(on={"looping": seen()}, default={"looping": seen([])}), "call 4", "not signalled, names only"),
        (entry(on={"looping": seen()}, default={"looping": seen([], calls={})}), "call 4", "no calls seen"),
        (
            entry(default={"looping": seen([{"signal": "drift warning find 9", "evidence": "none"}])}),
            "call 9, none evidence",
            "the same",
        ),
        (
            entry(default={"looping": seen([{"signal": "drift warning find 9"}], replayed=True)}),
            "call 9, replayed",
            "the same",
        ),
        (entry(default={"looping": seen(wrong=["counted nothing"])}), "✗ see below", "the same"),
        (entry(default={}), "✗ see below", "the same"),
    ],
)
def test_the_overview_says_where_the_loop_was_signalled(
    results: Path, row: dict[str, Any], with_content: str, by_default: str
) -> None:
    """With content and at its default, with the versions that were run."""
    results.write_text(json.dumps({"frame/inst": row}))
    assert list(proof.overview()) == [("Frame 1.0", "Inst 2.0", with_content, by_default)]


def test_the_details_show_every_scenario(results: Path) -> None:
    """Calls of the signals, silence, what is wrong and what there is not."""
    scenarios = {
        "looping": seen(),
        "stream": seen([]),
        "parallel": seen(wrong=["x"]),
        "error": seen([], calls={}),
        "healthy": seen([]),
        "limited": seen([], limits=["max_turns"]),
    }
    silent = {"limited": seen([], limits=[])}
    results.write_text(json.dumps({"frame/inst": entry(on=scenarios, default={}, off=silent)}))
    first, *others = proof.details()
    assert first[2:] == ("on", "✓ 4, 9", "not signalled", "✗", "", "no calls seen", "", "✓", "✓ max_turns")
    assert [(row[2], row[-1]) for row in others] == [("off by default", ""), ("off", "not told")]


def test_what_could_not_be_run_stands_last_with_its_reason(results: Path) -> None:
    """In the overview and in the notes, where each reason stands once."""
    broken = {"framework": "A", "instrumentation": "I", "problem": "makes no spans."}
    noted = {**entry(off={"looping": seen([], why="names only"), "error": seen([], why="names only")}), "note": "slow"}
    results.write_text(json.dumps({"a/i": broken, "frame/inst": noted}))
    assert proof.notes().splitlines() == [
        "- slow: Frame 1.0, Inst 2.0.",
        "- names only: Frame 1.0, Inst 2.0.",
        "- not run, makes no spans: A, I.",
    ]


def test_every_row_of_the_real_results_is_shown() -> None:
    """None is lost on the way to the page."""
    known = json.loads(proof.RESULTS.read_text(encoding="utf-8"))
    assert len(proof.entries()) == len(known) > 0
