"""Cases and recorded runs as the scoreboard reads them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from quality import loading
from quality.loading import calls_of, read_cases, read_recordings


def recording(**more: Any) -> dict[str, Any]:
    """A recorded run."""
    return {"id": "r1", "source": "made", "outcome": "failure", "labels": {}, "calls": [], **more}


def written(path: Path, *records: dict[str, Any]) -> Path:
    """The records as a file of JSON lines, zipped where the name says so."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def test_a_case_has_its_verdict_and_its_calls(tmp_path: Path) -> None:
    """What is not said of the verdict has its default."""
    loop = {"loop": True, "by_step": 4, "not_before": 3, "kinds": ["drift"]}
    calls = [{"tool": "find", "args": {"q": 1}, "result": "y", "at_ms": 5}, {"tool": "find", "error": "no", "at_ms": 9}]
    path = written(
        tmp_path / "few.jsonl",
        {"id": "a", "expect": loop, "calls": calls},
        {"id": "b", "expect": {"loop": False, "by_step": None}, "calls": []},
    )
    first, second = read_cases(path, "few")
    assert (first.suite, first.id, first.expect.by_step, first.expect.kinds) == ("few", "a", 4, {"drift"})
    assert [(call.tool, call.arguments, call.result, call.error) for call in first.calls] == [
        ("find", {"q": 1}, "y", None),
        ("find", None, None, "no"),
    ]
    assert first.calls[0].end_ns == 9 * loading.NS_PER_MS - 1
    assert (second.expect.loop, second.expect.not_before) == (False, 1)


def test_agents_of_one_case_have_runs_of_their_own() -> None:
    """Named as replay names them."""
    entries = [{"tool": "find", "agent": agent} for agent in ("a", "b", "a")]
    assert [call.run for call in calls_of({"id": "c", "calls": entries})] == ["c/a", "c/b", "c/a"]
    assert {call.run for call in calls_of({"id": "c", "calls": entries[:1]})} == {"c"}


@pytest.mark.parametrize(
    ("error", "result", "read"),
    [
        (True, "it broke", ("it broke", None)),
        (True, "", ("error", None)),
        (False, "fine", (None, "fine")),
        (None, "fine", (None, "fine")),
        ("text", None, ("text", None)),
    ],
)
def test_a_failure_is_a_text(error: object, result: object, read: tuple[object, object]) -> None:
    """Whether the file has it as a text or as a flag beside the result."""
    (call,) = calls_of({"id": "c", "calls": [{"tool": "find", "error": error, "result": result}]})
    assert (call.error, call.result) == read


def test_a_recorded_run_is_spread_over_time(tmp_path: Path) -> None:
    """Its calls have no times; arguments that are no object become one; user turns are kept."""
    calls = [
        {"tool": "find", "args": "x", "result": "y", "user_turn": 2, "ts": None},
        {"tool": None, "args": None, "result": "y"},
    ]
    labels = {"loop_strict": True}
    path = written(tmp_path / "made.jsonl.gz", recording(calls=calls, labels=labels, pair_labels=["Repetition"]))
    (run,) = read_recordings(path)
    assert (run.source, run.outcome, run.loops, run.pairs) == ("made", "failure", True, ("Repetition",))
    assert [call.at_ms for call in run.calls] == [0, loading.UNTIMED_GAP_MS]
    assert (run.calls[0].arguments, run.calls[0].turn) == ({"value": "x"}, 2)
    assert (run.calls[1].arguments, run.calls[1].turn) == (None, None)


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    """Our own cases always are; a folder without files adds no suite and no run."""
    assert set(loading.suites(tmp_path)) == {loading.PUBLIC}
    assert loading.recordings(tmp_path) == []


def test_further_suites_are_called_after_their_files(tmp_path: Path) -> None:
    """And recorded runs come source by source."""
    (tmp_path / "cases").mkdir()
    (tmp_path / "corpora").mkdir()
    written(tmp_path / "cases" / "more.jsonl", {"id": "a", "expect": {"loop": False}, "calls": []})
    runs = [recording(source="z"), recording(source="a")]
    written(tmp_path / "corpora" / "runs.jsonl.gz", *runs)
    assert set(loading.suites(tmp_path)) == {loading.PUBLIC, "more"}
    assert [run.source for run in loading.recordings(tmp_path)] == ["a", "z"]


def test_our_own_cases_come_in_twins() -> None:
    """At least 150, each id once; a loop's twin is good work, and the other way round."""
    records = [
        json.loads(line) for path in loading.OWN.glob("*.jsonl") for line in path.read_text("utf-8").splitlines()
    ]
    loops = {record["id"]: record["expect"]["loop"] for record in records}
    assert len(loops) == len(records) >= 150
    assert all(loops[record["twin"]] is not record["expect"]["loop"] for record in records)
