"""`replay --explain`: the calls of one run as the rules compare them, and what each rule saw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otel_loopwatch.cli import main
from otel_loopwatch.cli.explained import Letters
from otel_loopwatch.cli.witness import Witness
from otel_loopwatch.detectors import RULES
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, ToolCall
from otel_loopwatch.scenarios import SCENARIOS, Scenario
from otel_loopwatch.settings import THRESHOLDS

FIRST, LAST = THRESHOLDS[Kind.IDENTICAL].warning, THRESHOLDS[Kind.IDENTICAL].critical
REFUSAL = "No policy covers kettles. Known topics: books, clothing, software."
Call = dict[str, Any]


def call(result: object = REFUSAL, topic: str = "kettles", **more: object) -> Call:
    """A look-up of a policy."""
    return {"tool": "lookup", "args": {"topic": topic}, "result": result, **more}


def explain(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    cases: dict[str, list[Call]],
    run: str,
    *flags: str,
    code: int = 0,
) -> str:
    """What the command prints of a run: its output if it succeeds, else what it complains of."""
    path = tmp_path / "cases.jsonl"
    spaced = {name: [one | {"at_ms": 2000 * n} for n, one in enumerate(calls)] for name, calls in cases.items()}
    path.write_text("\n".join(json.dumps({"id": name, "calls": calls}) for name, calls in spaced.items()))
    assert main(["replay", str(path), "--explain", run, *flags]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def seen_by(out: str, rule: str) -> str:
    """What the text says of one rule."""
    return next(line for line in out.splitlines() if line.startswith(f"  {rule} ")).split(maxsplit=1)[1]


def test_calls_stand_with_letters_for_what_is_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Request, result, answer: equal letters are equal to the rules, and a dash is unknown."""
    calls = [call(), call(), call(topic="irons"), call("Kettles: thirty days, in any state."), call(None)]
    out = explain(tmp_path, capsys, {"a": calls}, "a")
    rows = [line.split() for line in out.splitlines()[3:8]]
    assert [row[2:5] for row in rows] == [
        ["A", "A", "A"],
        ["A", "A", "A"],
        ["B", "B", "A"],
        ["A", "C", "B"],
        ["A", "-", "-"],
    ]
    assert [row[-2:] for row in rows[1:]] == [["2", "s"]] * 4


def test_signals_stand_below_the_call_that_raised_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With level, kind and reason."""
    lines = explain(tmp_path, capsys, {"a": [call()] * LAST}, "a").splitlines()
    raised = [lines[number - 1].split()[0] for number, line in enumerate(lines) if " identical: " in line]
    assert raised == [str(FIRST), str(LAST)]
    assert any(line.strip().startswith("WARNING identical: lookup gave the same") for line in lines)


NOTHING_COUNTED = "Nothing to count: "
SEEN: list[tuple[str, list[Call], str, str]] = [
    (
        "both levels",
        [call()] * LAST,
        "identical.repeated",
        f"warning at call {FIRST} with {FIRST}; critical at call {LAST} with {LAST}",
    ),
    ("one short of it", [call()] * (FIRST - 1), "identical.repeated", f"{FIRST - 1} of {FIRST} at call {FIRST - 1}"),
    ("weak evidence", [call("")] * 2, "identical.repeated", f"(usually {FIRST}, but empty is weak evidence)"),
    ("no evidence", [call(None)] * 2, "identical.blind", "but nothing is no evidence)"),
    ("seen by another rule too", [call()] * 12, "no_progress.stale_share", "(the loop had been signalled)"),
    ("enough, but not alone", [call()] * 12, "no_progress.again", "but its other conditions are not met"),
]


@pytest.mark.parametrize(("calls", "rule", "expected"), [row[1:] for row in SEEN], ids=[row[0] for row in SEEN])
def test_every_rule_says_what_it_saw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], calls: list[Call], rule: str, expected: str
) -> None:
    """When it gave verdicts, or how near it came and what was missing."""
    assert expected in seen_by(explain(tmp_path, capsys, {"a": calls}, "a"), rule)


def test_every_rule_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that had nothing to count as well."""
    words = (
        explain(tmp_path, capsys, {"a": [call()] * 3}, "a").partition("What the rules saw")[2].replace(",", "").split()
    )
    assert sorted(word for word in words if word in RULES) == sorted(RULES)


def test_json_has_an_object_per_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the counts of every rule that had something to count, whether it signalled or not."""
    records = [
        json.loads(line) for line in explain(tmp_path, capsys, {"a": [call()] * FIRST}, "a", "--json").splitlines()
    ]
    assert [record["call"] for record in records] == list(range(1, FIRST + 1))
    counts = [rule["count"] for record in records for rule in record["rules"] if rule["rule"] == "identical.repeated"]
    assert counts == list(range(2, FIRST + 1))
    assert [len(record["signals"]) for record in records] == [0] * (FIRST - 1) + [1]
    assert (records[1]["brought"], records[1]["evidence"], records[1]["after_s"]) == ("stale", "strong", 2.0)


@pytest.mark.parametrize("flags", [(), ("--json",)], ids=["text", "json"])
def test_values_are_shown_only_if_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    """Arguments and results, cut where they are long."""
    cases = {"a": [call("x" * 5000)]}
    assert "kettles" not in explain(tmp_path, capsys, cases, "a", *flags)
    shown = explain(tmp_path, capsys, cases, "a", "--content", *flags)
    assert "kettles" in shown
    assert len(shown) < 5000


CHOICES = [
    ("the whole id", "aa", 0, "run aa of"),
    ("the whole id, although others start so", "a", 0, "run a of"),
    ("the start of an id", "b", 0, "run bb of"),
    ("the start of several", "c", 2, "2 runs start with 'c': c1, c2"),
    ("of none", "z", 2, "no run starts with 'z'; there are others, such as a, aa, bb, c1, c2"),
]


@pytest.mark.parametrize(("run", "code", "said"), [row[1:] for row in CHOICES], ids=[row[0] for row in CHOICES])
def test_a_run_is_found_by_its_id_or_the_start_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run: str, code: int, said: str
) -> None:
    """Where it is not clear which one is meant, that is said, and nothing else."""
    cases = {name: [call()] for name in ("a", "aa", "bb", "c1", "c2")}
    assert said in explain(tmp_path, capsys, cases, run, code=code)


def test_a_file_without_calls_has_nothing_to_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bad input, told as elsewhere."""
    assert "no tool calls" in explain(tmp_path, capsys, {"a": []}, "a", code=2)


def test_an_ignored_tool_is_listed_unjudged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is known of it but that it was called, and how it ended."""
    config = tmp_path / "loopwatch.yaml"
    config.write_text("tools: {lookup: {ignore: true}}", encoding="utf-8")
    out = explain(tmp_path, capsys, {"a": [call()]}, "a", "--config", str(config))
    assert out.splitlines()[3].split() == ["1", "lookup", "-", "-", "-", "-", "success", "-", "-"]


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda scenario: scenario.name)
def test_a_witness_changes_nothing(scenario: Scenario) -> None:
    """The same signals at the same calls, with and without it."""
    witness = Witness()
    watched, alone = Engine(rules=witness.rules), Engine()
    for number, step in enumerate(scenario.steps):
        made = ToolCall(
            run="r", tool=step.tool, arguments=step.arguments, result=step.result, failed=step.error is not None,
            error=step.error, start_ns=number * 2 * 10**9, end_ns=number * 2 * 10**9 + 10**9, span_id=number + 1,
        )  # fmt: skip
        assert watched.observe(made) == alone.observe(made)
        sight = witness.take()
        assert sight is not None
        assert [told.rule for told in sight.told] == list(RULES)


def test_letters_go_on_after_z() -> None:
    """AA comes after Z, and an unknown key has none."""
    letters = Letters()
    made = [letters.of(key) for key in range(703)]
    assert [made[number] for number in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]
    assert letters.of(3) == "D"
    assert letters.of(None) is None
