"""The engine sees what it sees when case files are replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from quality import loading
from quality.detector import Fired
from quality.loading import case_of
from quality.ours import Loopwatch, strict, tool_call
from quality.ranking import same_package
from quality.watching import watch

from otel_loopwatch.cli import main
from otel_loopwatch.model import Kind
from otel_loopwatch.sources import cases as case_format

ENTRIES: list[dict[str, Any]] = [
    {"tool": "find", "args": {"q": 1}, "result": {"content": [{"type": "text", "text": "y"}]}, "agent": "a", "turn": 1},
    {"tool": "find", "args": '{"q": 1}', "result": "y", "at_ms": 1700000000123, "batch": 1, "agent": "b"},
    {"tool": "find", "args": None, "error": "no", "at_ms": 1700000000123, "batch": 1, "agent": "b"},
    {"tool": "find", "result": None, "at_ms": 1700000009000},
]


def test_calls_are_as_the_reader_of_case_files_makes_them() -> None:
    """Envelopes, runs, times, siblings and turns included."""
    record = {"id": "c", "expect": {"loop": False}, "calls": ENTRIES}
    assert [tool_call(call) for call in case_of(record, "made").calls] == case_format.calls(record, "c")


@pytest.mark.parametrize("detector", [Loopwatch(), strict()], ids=lambda detector: detector.name)
def test_a_loop_is_warned_of_and_then_stopped(detector: Loopwatch) -> None:
    """With the kind that it is, where the settings of the detector have it."""
    entries = [
        {"tool": "find", "args": {"q": 1}, "result": "42 items, the first of them a chair of oak"} for _ in range(30)
    ]
    made = case_of({"id": "c", "expect": {"loop": True}, "calls": entries}, "made")
    first, second = watch(detector, made.calls).firings
    at = detector.settings.thresholds[Kind.IDENTICAL]
    assert (first.fired, first.call, first.kind) == (Fired.WARNED, at.warning, "identical")
    assert (second.fired, second.call) == (Fired.STOPPED, at.critical)


def test_strict_fires_sooner_than_the_default() -> None:
    """It is another set-up of the same package, and sorts with it."""
    default, sooner = Loopwatch().settings.thresholds, strict().settings.thresholds
    assert same_package(Loopwatch().name, strict().name)
    assert {kind for kind in Kind if kind in default and sooner[kind].warning < default[kind].warning} == {
        Kind.IDENTICAL,
        Kind.RETRY_STORM,
        Kind.PING_PONG,
        Kind.CYCLE,
    }


@pytest.mark.parametrize("path", sorted(loading.OWN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_first_signals_are_those_of_replay(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In every tenth of our own cases: the call and the kind of the first."""
    some = path.read_text(encoding="utf-8").splitlines(keepends=True)[::10]
    copy = tmp_path / path.name
    copy.write_text("".join(some), encoding="utf-8")
    main(["replay", str(copy), "--json"])
    replayed: dict[str, tuple[int, str]] = {}
    for line in capsys.readouterr().out.splitlines():
        signal = json.loads(line)
        replayed.setdefault(signal["run"].split("/")[0], (signal["call"], signal["kind"]))
    firsts = {case.id: watch(Loopwatch(), case.calls).first() for case in loading.read_cases(copy, "own")}
    assert {case: (first.call, first.kind) for case, first in firsts.items() if first} == replayed
