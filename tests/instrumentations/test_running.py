"""Rows are run in a process of their own, and what happens there is written down."""

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tomllib", reason="the table is read with Python 3.11 or newer")
import run
from environments import CannotInstall
from rows import Row

ROW = Row("frame/v", "Frame", "I", "v", ("frame==1.0",), script="frame")
GOOD: dict[str, Any] = {"content": {"default": {"scenarios": {"healthy": {"wrong": []}}}}}
BAD: dict[str, Any] = {"content": {"default": {"scenarios": {"healthy": {"wrong": ["counted nothing"]}}}}}
BROKEN: dict[str, Any] = {"content": {"default": {"scenarios": {}, "problem": "took more than 1 s"}}}
MISSING: dict[str, Any] = {"problem": "cannot be installed: no such version"}


def test_what_cannot_be_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The resolver's reason is the result."""

    def refuse(*_: object) -> Path:
        raise CannotInstall("no such version")

    monkeypatch.setattr(run, "environment", refuse)
    assert run.try_row(ROW, Path("x.whl"))["problem"] == "cannot be installed: no such version"


def test_what_is_known_not_to_work_is_not_tried() -> None:
    """A row's own reason."""
    row = Row("frame/v", "Frame", "I", "v", (), cannot="makes no spans")
    assert run.try_row(row, Path("x.whl"))["problem"] == "makes no spans"


def test_a_script_that_breaks_leaves_its_last_words() -> None:
    """The last line of its errors is the problem."""
    lines, broke = run.play(Path(sys.executable), "no_such_script", "v", {})
    assert lines == []
    assert "no_such_script" in broke


@pytest.mark.parametrize(
    ("entry", "good", "said"),
    [
        (GOOD, True, "ok   frame/v"),
        (BAD, False, "content default, healthy: counted nothing"),
        (BROKEN, False, "content default: took more than 1 s"),
        (MISSING, True, "none frame/v: cannot be installed: no such version"),
    ],
)
def test_a_row_is_reported(entry: dict[str, Any], good: bool, said: str) -> None:
    """One line where all is well, else what is wrong."""
    assert run.is_as_expected(entry) is good
    assert said in run.report("frame/v", entry)


def test_results_of_rows_not_run_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Except where a row has left the table."""
    results = tmp_path / "results.json"
    results.write_text('{"frame/v": {"old": 1}, "gone/v": {}, "other/v": {"old": 1}}')
    other = Row("other/v", "Other", "I", "v", ())
    monkeypatch.setattr(run, "RESULTS", results)
    monkeypatch.setattr(run, "read_rows", lambda: [ROW, other])
    run.store({"frame/v": {"new": 1}})
    assert run.json.loads(results.read_text()) == {"frame/v": {"new": 1}, "other/v": {"old": 1}}
