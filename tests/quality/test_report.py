"""The scoreboard on paper: Markdown, the lines of --ours, the picture, the table of the README."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import scoreboard
from quality import report, running, standing
from quality.detector import Fired
from quality.hits import SHORT
from quality.loading import Recording
from quality.pairs import scores
from quality.rivals import Rival
from quality.running import Material, everyone, figures, taught
from scoring import Scripted, call, case

NO, WARN, STOP = Fired.NOTHING, Fired.WARNED, Fired.STOPPED
CASES = [case(loop=True, by_step=3, kinds=["identical"]), case(loop=False)]
RUNS = [
    Recording("made", "r1", "failure", (call(),) * 9, loops=True, pairs=("Repetition",) * 8),
    Recording("made", "r2", "success", (call(),) * 4),
    Recording(SHORT, "r3", "failure", (call(),) * 4),
]
MATERIAL = Material({"public": CASES, "more": CASES}, RUNS)
OURS = Scripted([NO, WARN], "identical", "ours", "2.0")
OTHERS = [
    Scripted([STOP], name="eager"),
    Scripted([], name="silent"),
    Scripted([ValueError("odd")], name="broken | odd", version=""),
]

REWRITTEN = {
    "rewritten": "as written",
    "keeps_evidence": True,
    "loops": 9,
    "in_time": 8,
    "good": 7,
    "false_alarms": 1,
    "false_stops": 0,
}
RULE = {
    "rule": "rereads",
    "solves_alone": ["a", "b"],
    "false_alarms_alone": [],
    "lost_without": ["a"],
    "false_alarms_less": [],
}


def results(material: Material = MATERIAL) -> dict[str, Any]:
    """Everything that is written, of detectors of the tests' own."""
    detectors = {one.name: figures(material, one) for one in (OURS, *OTHERS)}
    wrong = [known.pop("wrong") for known in detectors.values()]
    return {
        "detectors": detectors,
        "wrong": wrong[0],
        "absent": ["gone"],
        "pairs": scores(material.recordings),
        "rewritten": [REWRITTEN, {**REWRITTEN, "rewritten": "no results", "keeps_evidence": False, "in_time": 2}],
        "rules": [RULE],
    }


def rows(page: str, first: str) -> list[list[str]]:
    """The rows of a page that begin with a cell."""
    lines = (line for line in page.splitlines() if line.startswith(f"| {first} |"))
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_every_detector_has_a_row_in_every_table() -> None:
    """With loops in time, false alarms and hits, ours with the kinds it named."""
    page = report.markdown(results())
    assert rows(page, "ours 2.0")[0] == ["ours 2.0", "1", "0", "0", "1", "0", "1", "1", "0"]
    assert rows(page, "eager 1")[0] == ["eager 1", "1", "0", "0", "", "1", "0", "1", "1"]
    hits = rows(page, "eager 1")[2]
    assert hits[1:4] == ["1/1 (2.5-100.0 %)"] * 3
    assert hits[5:] == ["8/9", "0", "0", "equal", "neither"]
    assert len(rows(page, "silent 1")) == len(rows(page, "eager 1")) == 5


def test_what_needs_saying_is_said() -> None:
    """What we get wrong, who is not there, who breaks."""
    page = report.markdown(results())
    assert "- public, made: false alarm at 2 (identical)" in page
    assert "- gone: not installed, not run" in page
    assert "- broken | odd: raised an error of its own at" in page
    assert "| equal request | 1.000 | 1.000 | 8 | 8 |" in page


def test_rewriting_and_rules_have_their_tables() -> None:
    """One for what keeps the evidence, one for what takes it away; rules by the number of their cases."""
    page = report.markdown(results())
    assert "9 loops and 7 legitimate cases." in page
    assert page.index("Evidence stays") < page.index("| as written | 8 | 1 | 0 |") < page.index("Evidence is taken")
    assert page.index("Evidence is taken") < page.index("| no results | 2 | 1 | 0 |")
    assert "| rereads | 2 | 0 | 1 | 0 |" in page


def test_a_page_without_recorded_runs() -> None:
    """Says that there were none."""
    page = report.markdown(results(Material({"public": CASES}, [])))
    assert "None were at hand." in page
    assert "Repetitions" not in page


def test_how_we_stand() -> None:
    """With the cases we get wrong and those who outdo us."""
    detectors = {one.name: figures(MATERIAL, one) for one in (OURS, *OTHERS)}
    told = standing.told(detectors, MATERIAL).splitlines()
    assert told[0].startswith("public: in time 1/1 (kind right 1), late 0, missed 0, stopped 0; false alarms 1")
    assert "  made: false alarm at 2 (identical)" in told
    assert "made: warned 1/1 successes 1/1 failures; stopped 0/1 successes 0/1 failures; " in "\n".join(told)
    assert f"{SHORT}, stopped: outdone (successes, failures hit) by eager (0, 1)" in told


def test_many_detectors_are_measured_side_by_side() -> None:
    """In their order, as alone."""
    some = [OURS, *OTHERS[:2]]
    assert list(everyone(some, MATERIAL)) == [(one.name, figures(MATERIAL, one)) for one in some]


def test_a_detector_that_takes_too_long_is_not_run_on_recorded_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the page says so; its cases count."""
    monkeypatch.setattr(running, "PATIENCE_S", -1.0)
    known = figures(MATERIAL, OURS)
    assert (known["corpora"], known["note"]) == ({}, running.TOO_SLOW)
    assert known["suites"]["public"]["in_time"] == 1


def test_a_detector_that_learns_is_told_of_good_runs() -> None:
    """Others are left as they are."""
    learner = Rival("learner", "nothing", "nothing:start", learns=True)
    assert taught(learner, [3, 4]) == Rival("learner", "nothing", "nothing:start", learns=True, good_runs=(3, 4))
    assert taught(OURS, [3, 4]) is OURS


def test_the_picture_has_a_point_per_detector(tmp_path: Path) -> None:
    """Those at one place share it."""
    pytest.importorskip("matplotlib", reason="the picture needs the environment of make quality")
    from quality import picture

    shown = picture.points(results()["detectors"], ["public", "more"])
    assert [(one.names, one.in_time, one.false_alarms) for one in shown] == [
        (("ours", "eager"), 100, 100),
        (("silent", "broken | odd"), 0, 0),
    ]
    picture.draw(results(), tmp_path / "made.png")
    assert (tmp_path / "made.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_of_the_readme_has_the_best(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """This package, then packages, then rules, by how much more often they are right than wrong."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results()), encoding="utf-8")
    monkeypatch.setattr(scoreboard, "RESULTS", path)
    assert list(scoreboard.overview()) == [
        ("ours 2.0", "2 of 2", "2 of 2", "0", "2 of 2", "1 of 1", "0 of 2", "0 of 1"),
        ("eager 1", "2 of 2", "2 of 2", "2", "2 of 2", "1 of 1", "2 of 2", "1 of 1"),
        ("silent 1", "0 of 2", "0 of 2", "0", "0 of 2", "0 of 1", "0 of 2", "0 of 1"),
        ("broken | odd", "0 of 2", "0 of 2", "0", "0 of 2", "0 of 1", "0 of 2", "0 of 1"),
    ]


@pytest.mark.parametrize("recordings", [RUNS, []], ids=["with recorded runs", "without"])
def test_the_sentences_of_the_readme(
    recordings: list[Recording], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All suites together, the recorded runs where there are any, and the rewriting that does most harm."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results(Material({"public": CASES, "more": CASES}, recordings))), encoding="utf-8")
    monkeypatch.setattr(scoreboard, "RESULTS", path)
    said = scoreboard.summary().replace("\n", " ")
    assert said.startswith("At default settings, 2 of 2 scripted loops are signalled in time (2 as the kind they are")
    assert "of 2 pieces of good work that look like loops, 2 are warned of and 0 stopped." in said
    assert ("Of 1 recorded runs that ended well, 1 are warned of and 0 stopped" in said) == bool(recordings)
    assert "the hardest way (as written) leaves 8 loops in time" in said


def test_set_ups_of_this_package_follow_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They are shown however they rank."""
    made = results()
    made["detectors"]["ours, strict"] = made["detectors"]["silent"] | {"version": "2.0"}
    path = tmp_path / "results.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    monkeypatch.setattr(scoreboard, "RESULTS", path)
    assert [row[0] for row in scoreboard.overview()][:3] == ["ours 2.0", "ours, strict 2.0", "eager 1"]


def test_the_table_of_the_readme_without_recorded_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leaves their cells empty."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results(Material({"public": CASES}, []))), encoding="utf-8")
    monkeypatch.setattr(scoreboard, "RESULTS", path)
    assert next(scoreboard.overview()) == ("ours 2.0", "1 of 1", "1 of 1", "0", "", "", "", "")
