"""`calibrate` and `feedback`: from past runs to a configuration that stops a run, and no good one too many."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scripts import ROOT

from otel_loopwatch.calibration import UNNAMED
from otel_loopwatch.cli import main
from otel_loopwatch.config import load

GOOD_RUNS = 60
CORPUS = ROOT.parent / "shared" / "corpora" / "hotpot_react.jsonl.gz"
BY_FIELD = ("--good-attribute", "verdict=solved")


def page(number: int, **fields: Any) -> dict[str, Any]:
    """A call that brings something new."""
    text = f"Page {number}k tells of knot {number}k and of the {number}k ways to tie it."
    return {"tool": "open_page", "args": {"page": f"{number}k"}, "result": text, **fields}


def stuck(calls: int) -> list[dict[str, Any]]:
    """A run that asks with two tools in turn, and learns nothing after the first round."""
    return [page(number % 2) for number in range(calls)]


def case(name: str, calls: Iterable[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """A case of a case file."""
    return {"id": name, "calls": list(calls), **fields}


def good(number: int, length: int, **fields: Any) -> dict[str, Any]:
    """A case that went well, of so many calls."""
    return case(f"good-{number}", map(page, range(length)), **{"verdict": "solved", **fields})


def many(seed: int = 1, **fields: Any) -> list[dict[str, Any]]:
    """Good runs of different lengths."""
    rng = Random(seed)
    return [good(number, rng.randint(2, 12), **fields) for number in range(GOOD_RUNS)]


def written(path: Path, cases: Iterable[dict[str, Any]]) -> str:
    """A case file."""
    path.write_text("".join(json.dumps(one) + "\n" for one in cases), encoding="utf-8")
    return str(path)


def lines(path: Path) -> dict[str, float]:
    """The lines in a configuration file."""
    calibration = load(str(path), {}).settings.calibration
    assert calibration is not None
    return calibration.lines()


def stopped(capsys: pytest.CaptureFixture[str], config: Path, cases: str) -> dict[str, int]:
    """Runs with a critical budget signal, and the call it came at."""
    assert main(["replay", cases, "--config", str(config), "--json"]) == 0
    signals = map(json.loads, capsys.readouterr().out.splitlines())
    return {one["run"]: one["call"] for one in signals if (one["kind"], one["level"]) == ("budget", "critical")}


def test_a_long_loop_is_stopped_and_no_good_run_too_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From case files over `calibrate` to `replay --config`; the loop ends long before its length would tell."""
    cases, config = written(tmp_path / "good.jsonl", many()), tmp_path / "loopwatch.yaml"
    assert main(["calibrate", cases, *BY_FIELD, "--out", str(config)]) == 0
    capsys.readouterr()
    assert len(stopped(capsys, config, cases)) <= GOOD_RUNS * 0.05
    loop = written(tmp_path / "loop.jsonl", [case("stuck", stuck(200))])
    assert stopped(capsys, config, loop)["stuck"] <= 6


def test_the_reason_tells_what_was_reached_and_where_the_line_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence, without values of arguments."""
    config = tmp_path / "loopwatch.yaml"
    main(["calibrate", written(tmp_path / "good.jsonl", many()), *BY_FIELD, "--out", str(config)])
    capsys.readouterr()
    main(["replay", written(tmp_path / "loop.jsonl", [case("stuck", stuck(200))]), "--config", str(config), "--json"])
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (reason,) = (one["reason"] for one in said if one["kind"] == "budget")
    assert reason.startswith("The run reached ")
    assert f"where good runs stay below {lines(config)[UNNAMED]:.2f}" in reason
    assert "failed or brought nothing new" in reason


def test_good_runs_may_be_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the id of their run, trace or case; ids that are nowhere are told, and comments passed over."""
    cases = written(tmp_path / "runs.jsonl", [*many(), case("bad", stuck(50))])
    listed = tmp_path / "good.txt"
    listed.write_text("# solved\n" + "\n".join(f"good-{n}" for n in range(40)) + "\nelsewhere\n\n", encoding="utf-8")
    config = tmp_path / "loopwatch.yaml"
    assert main(["calibrate", cases, "--good", str(listed), "--out", str(config)]) == 0
    said = capsys.readouterr().err
    assert "1 of the 41 listed are in none of the files: elsewhere" in said
    calibration = load(str(config), {}).settings.calibration
    assert calibration is not None
    assert calibration.agents[UNNAMED].runs == 40


def test_too_few_good_runs_are_only_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line is infinite, and the table says how many runs are needed."""
    cases, config = written(tmp_path / "few.jsonl", many()[:18]), tmp_path / "loopwatch.yaml"
    assert main(["calibrate", cases, *BY_FIELD, "--out", str(config)]) == 0
    assert "19 are needed, so it is only watched" in capsys.readouterr().err
    assert lines(config) == {UNNAMED: inf}
    assert stopped(capsys, config, written(tmp_path / "loop.jsonl", [case("stuck", stuck(300))])) == {}


def test_runs_of_one_task_count_once(tmp_path: Path) -> None:
    """Sixty runs of twenty tasks are twenty, by the field that names the task."""
    runs = [one | {"quest": number % 20} for number, one in enumerate(many())]
    cases, config = written(tmp_path / "runs.jsonl", runs), tmp_path / "loopwatch.yaml"
    assert main(["calibrate", cases, *BY_FIELD, "--task-attribute", "quest", "--out", str(config)]) == 0
    calibration = load(str(config), {}).settings.calibration
    assert calibration is not None
    assert calibration.agents[UNNAMED].runs == 20


def test_every_agent_gets_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two agents in one case each is a run of its own, and a third that nobody calibrated is not stopped."""
    pairs = [
        case(f"good-{n}", [page(0, agent="scout"), *(page(k, agent="writer") for k in range(20))], verdict="solved")
        for n in range(30)
    ]
    cases, config = written(tmp_path / "good.jsonl", pairs), tmp_path / "loopwatch.yaml"
    assert main(["calibrate", cases, *BY_FIELD, "--out", str(config)]) == 0
    capsys.readouterr()
    found = lines(config)
    assert 1 < found["scout"] < 2
    assert 20 < found["writer"] < 21
    new = [case(name, [page(k, agent=name) for k in range(6)]) for name in ("scout", "writer", "clerk")]
    assert stopped(capsys, config, written(tmp_path / "new.jsonl", new)) == {"scout": 2}


def span(trace: int, number: int, name: str, **attributes: str) -> dict[str, Any]:
    """A span as OTLP/JSON; number 0 is the root."""
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{trace * 1000 + number + 1:016x}",
        "parentSpanId": f"{trace * 1000 + 1:016x}" if number else "",
        "name": name,
        "startTimeUnixNano": str(10**18 + number * 10**9),
        "endTimeUnixNano": str(10**18 + number * 10**9 + (5 * 10**8 if number else 10**12)),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }


def trace(number: int, calls: int, verdict: str) -> dict[str, Any]:
    """A trace of an agent: its root carries the verdict."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner", "app.verdict": verdict}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "open_page"}
    spans = [span(number, 0, "invoke_agent planner", **agent)]
    for at in range(1, calls + 1):
        content = {"gen_ai.tool.call.arguments": json.dumps({"n": at}), "gen_ai.tool.call.result": f"Knot {at} of {at}"}
        spans.append(span(number, at, "execute_tool open_page", **tool, **content))
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "app"}, "spans": spans}]}]}


def test_spans_tell_which_traces_are_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An attribute anywhere in the trace; runs are those the live processor sees, by the agent's own name."""
    traces = [trace(number, 2 + number % 5, "failed" if number % 3 == 0 else "solved") for number in range(1, 46)]
    cases, config = written(tmp_path / "traces.jsonl", traces), tmp_path / "loopwatch.yaml"
    assert main(["calibrate", cases, "--good-attribute", "app.verdict=solved", "--out", str(config)]) == 0
    capsys.readouterr()
    assert 6 < lines(config)["planner"] < 7
    long = written(tmp_path / "long.jsonl", [trace(99, 12, "unknown")])
    assert stopped(capsys, config, long) == {f"{99:032x}": 7}


def test_lines_are_printed_where_no_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard output, so that they can be sent anywhere; the table goes to standard error."""
    assert main(["calibrate", written(tmp_path / "good.jsonl", many()), *BY_FIELD, "--alpha", "1/10"]) == 0
    printed = capsys.readouterr()
    config = tmp_path / "loopwatch.yaml"
    config.write_text(printed.out, encoding="utf-8")
    assert lines(config)[UNNAMED] < inf
    assert printed.err.startswith("agent ")


def test_what_else_the_file_says_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Calibrating anew replaces the lines of before and nothing else."""
    config = tmp_path / "loopwatch.yaml"
    config.write_text("window: 20  # ours\n", encoding="utf-8")
    for seed in (1, 2):
        cases = written(tmp_path / "good.jsonl", many(seed))
        assert main(["calibrate", cases, *BY_FIELD, "--out", str(config)]) == 0
    text = config.read_text(encoding="utf-8")
    assert text.startswith("window: 20  # ours\ncalibration:\n")
    assert text.count("calibration:\n") == 1


def test_feedback_raises_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once per run, until so many are mistaken that nothing is stopped any more."""
    config = tmp_path / "loopwatch.yaml"
    main(["calibrate", written(tmp_path / "good.jsonl", many()), *BY_FIELD, "--out", str(config)])
    found = [lines(config)[UNNAMED]]
    for run in ("run-1", "run-1", "run-2", "run-3", "run-4"):
        assert main(["feedback", run, "--mistaken", "--config", str(config)]) == 0
        found.append(lines(config)[UNNAMED])
    assert found == sorted(found)
    assert found[1] == found[2]
    assert (found[0] < inf, found[-1]) == (True, inf)
    assert "run-1 was already known" in capsys.readouterr().out


def test_calibrating_anew_keeps_the_feedback(tmp_path: Path) -> None:
    """A good run that was stopped is not among those that are learnt from."""
    cases, config = written(tmp_path / "good.jsonl", many()), tmp_path / "loopwatch.yaml"
    main(["calibrate", cases, *BY_FIELD, "--out", str(config)])
    main(["feedback", "run-1", "--mistaken", "--config", str(config)])
    raised = lines(config)
    main(["calibrate", cases, *BY_FIELD, "--out", str(config)])
    assert lines(config) == raised
    assert "mistaken: [run-1]" in config.read_text(encoding="utf-8")


def test_feedback_finds_the_file_as_everything_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the variable that names the configuration."""
    config = tmp_path / "loopwatch.yaml"
    main(["calibrate", written(tmp_path / "good.jsonl", many(agent="x")), *BY_FIELD, "--out", str(config)])
    monkeypatch.setenv("OTEL_LOOPWATCH_CONFIG", str(config))
    assert main(["feedback", "run-1", "--mistaken"]) == 0
    assert f"line of {UNNAMED}: " in capsys.readouterr().out
    assert "run-1" in config.read_text(encoding="utf-8")


TWO_AGENTS = "calibration: {alpha: 0.05, agents: {a: {runs: 1}, b: {runs: 2}}}\n"
REFUSED = [
    (
        "no run is good",
        ["calibrate", "{cases}", "--good-attribute", "verdict=lost"],
        "none of the 60 runs is a good one",
    ),
    ("no such file of runs", ["calibrate", "{no}", *BY_FIELD], "No such file"),
    ("no such list", ["calibrate", "{cases}", "--good", "{no}"], "cannot be read"),
    ("no calls", ["calibrate", "{empty}", *BY_FIELD], "no tool calls in"),
    ("no place to write", ["calibrate", "{cases}", *BY_FIELD, "--out", "{flow}"], "lines of their own"),
    ("no configuration", ["feedback", "x", "--mistaken"], "no configuration file: give --config"),
    ("no calibration", ["feedback", "x", "--mistaken", "--config", "{flow}"], "holds no calibration"),
    ("bad configuration", ["feedback", "x", "--mistaken", "--config", "{bad}"], "line 1: windw is not known"),
    ("which agent", ["feedback", "x", "--mistaken", "--config", "{two}"], "--agent must be one of a, b"),
    ("no such agent", ["feedback", "x", "--mistaken", "--config", "{two}", "--agent", "c"], "must be one of a, b"),
]


@pytest.mark.parametrize(("arguments", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_cannot_be_done_is_said(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with the exit code of bad input, and nothing is written."""
    monkeypatch.delenv("OTEL_LOOPWATCH_CONFIG", raising=False)
    texts = {"flow": "{window: 20}\n", "bad": "windw: 20\n", "two": TWO_AGENTS}
    files = {name: str(tmp_path / name) for name in ("no", *texts)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files["cases"] = written(tmp_path / "cases.jsonl", many())
    files["empty"] = written(tmp_path / "empty.jsonl", [case("nothing", [])])
    assert main([one.format(**files) for one in arguments]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1
    assert all((tmp_path / name).read_text(encoding="utf-8") == text for name, text in texts.items())


@pytest.mark.parametrize("arguments", [["--alpha", "2"], ["--good-attribute", "verdict"], ["--good", "x", *BY_FIELD]])
def test_bad_flags_are_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Told by the parser, with the usage."""
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", "x", *(arguments if "--good" in arguments[0] else [*BY_FIELD, *arguments])])
    assert ended.value.code == 2
    assert "usage: otel-loopwatch calibrate" in capsys.readouterr().err


@pytest.mark.skipif(not CORPUS.exists(), reason=f"no recorded runs at {CORPUS}")
def test_recorded_runs_that_the_line_was_learnt_from_keep_the_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the good runs no more than one in twenty is stopped, of the failing ones many more."""
    config = tmp_path / "loopwatch.yaml"
    assert main(["calibrate", str(CORPUS), "--good-attribute", "outcome=success", "--out", str(config)]) == 0
    capsys.readouterr()
    found = stopped(capsys, config, str(CORPUS))
    solved = sum("/correct/" in run for run in found)
    assert solved <= 87 * 0.05
    assert (len(found) - solved) / 390 > 0.2
