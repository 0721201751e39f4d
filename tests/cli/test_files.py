"""`replay` and `calls`: what is read from files, how it is printed, and what is said of bad input."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_loopwatch.cli import main
from otel_loopwatch.model import Kind
from otel_loopwatch.scenarios import SUPPORT, Scenario
from otel_loopwatch.scripted import CountingIds, play
from otel_loopwatch.settings import THRESHOLDS

WARNING, CRITICAL = THRESHOLDS[Kind.IDENTICAL].warning, THRESHOLDS[Kind.IDENTICAL].critical


def lookup(times: int, **extra: object) -> list[dict[str, object]]:
    """The same call with the same answer, so many times."""
    result = "No policy covers kettles. Known topics: books, clothing, software."
    call = {"tool": "lookup", "args": {"topic": "kettles"}, "result": result, "error": None}
    return [call | {"at_ms": 2000 * number} | extra for number in range(times)]


def cases(tmp_path: Path, *calls: list[dict[str, object]], name: str = "cases.jsonl") -> str:
    """A case file with a case for each list of calls: case-1, case-2, ..."""
    lines = (json.dumps({"id": f"case-{number}", "calls": one}) for number, one in enumerate(calls, 1))
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def otlp(span: ReadableSpan) -> dict[str, object]:
    """A span as OTLP/JSON."""
    context, parent = span.get_span_context(), span.parent
    assert context
    return {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        "parentSpanId": f"{parent.span_id:016x}" if parent else "",
        "name": span.name,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": [
            {"key": key, "value": {"intValue": value} if isinstance(value, int) else {"stringValue": value}}
            for key, value in (span.attributes or {}).items()
        ],
    }


def trace_file(tmp_path: Path, scenario: Scenario = SUPPORT) -> Path:
    """A scenario as its exported spans, one document."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(id_generator=CountingIds())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    play(provider.get_tracer("app"), scenario)
    spans = [otlp(span) for span in exporter.get_finished_spans()]
    path = tmp_path / "trace.json"
    document = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "app"}, "spans": spans}]}]}
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


def records(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    """The JSON objects a command prints."""
    assert main([*arguments, "--json"]) == code
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_replay_gives_one_object_per_signal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the fields that other programs rely on, and their types."""
    warning, critical = records(capsys, "replay", cases(tmp_path, lookup(CRITICAL + 1)))
    assert warning == {
        "run": "case-1",
        "call": WARNING,
        "kind": "identical",
        "level": "warning",
        "tools": ["lookup"],
        "count": WARNING,
        "period": 1,
        "wasted_calls": WARNING - 1,
        "reason": warning["reason"],
    }
    assert (critical["call"], critical["level"]) == (CRITICAL, "critical")


def test_replay_of_a_trace_names_trace_and_span(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run is the trace's id, and the span is the call's."""
    warning = records(capsys, "replay", str(trace_file(tmp_path)))[0]
    assert warning["run"] == f"{1:032x}"
    assert warning["call"] == 4
    assert len(warning["span_id"]) == 16


def test_call_counts_within_the_case_not_within_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where two agents share a case, each is a run of its own, and calls are counted as they stand in the file."""
    mixed = lookup(4, agent="a") + lookup(
        4, agent="b", args={"topic": "irons"}, result="Irons: thirty days, in any state."
    )
    found = records(capsys, "replay", cases(tmp_path, [call | {"at_ms": 2000 * n} for n, call in enumerate(mixed)]))
    assert [(signal["run"], signal["call"]) for signal in found] == [("case-1/a", 3), ("case-1/b", 7)]


def test_files_are_judged_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same case in two files is read twice, each time from its first call."""
    paths = [cases(tmp_path, lookup(3), name=name) for name in ("one.jsonl", "two.jsonl")]
    assert [signal["call"] for signal in records(capsys, "replay", *paths)] == [3, 3]


def test_cases_are_judged_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What two cases have in common is no loop."""
    assert records(capsys, "replay", cases(tmp_path, lookup(2), lookup(2))) == []


@pytest.mark.parametrize("shape", ["document", "lines", "gzip"])
def test_trace_files_are_told_by_content(tmp_path: Path, shape: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One document, one per line, or gzipped under any name: the same calls are read."""
    path = trace_file(tmp_path)
    text = path.read_text(encoding="utf-8")
    if shape == "lines":
        spans = json.loads(text)["resourceSpans"][0]["scopeSpans"][0]["spans"]
        documents = ({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]} for span in spans)
        path.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    elif shape == "gzip":
        path.write_bytes(gzip.compress(text.encode()))
    found = records(capsys, "calls", str(path))
    assert [call["tool"] for call in found] == [step.tool for step in SUPPORT.steps]


def test_calls_shows_fingerprints_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values appear as 16 hex digits; what is unknown is null."""
    known, unknown = lookup(1)[0], {"tool": "lookup", "args": None, "result": None}
    first, second = records(capsys, "calls", cases(tmp_path, [known, unknown]))
    assert list(first) == ["run", "tool", "args", "result", "outcome", "agent", "dialect", "span_id"]
    assert len(first["args"]) == len(first["result"]) == 16
    assert (first["outcome"], first["dialect"], first["span_id"]) == ("success", "case", None)
    assert (second["args"], second["result"], second["outcome"]) == (None, None, "unknown")


def test_table_of_calls_says_how_much_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A heading, a line per call, and a count of what was captured."""
    assert main(["calls", cases(tmp_path, [*lookup(2), {"tool": "ping"}])]) == 0
    heading, *rows, summary = capsys.readouterr().out.splitlines()
    assert heading.split() == ["run", "tool", "args", "result", "outcome", "agent", "dialect", "span_id"]
    assert len(rows) == 3
    assert summary == "3 calls; arguments known of 2, results of 2"


@pytest.mark.parametrize("command", ["calls", "replay"])
def test_no_calls_is_explained(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was there instead, and where to ask further."""
    path = tmp_path / "trace.json"
    span = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1", "name": "GET /"}
    document = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "web"}, "spans": [span]}]}]}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert main([command, str(path)]) == 0
    out = capsys.readouterr().out
    assert "no tool calls: 1 spans of web" in out
    assert "otel-loopwatch doctor" in out


OTHER_THINGS: list[tuple[str, list[dict[str, Any]], str]] = [
    (
        "log records of no call",
        [{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"eventName": "a"}, {"eventName": "b"}]}]}]}],
        "no tool calls: 2 log records.",
    ),
    ("messages", [{"role": "user", "content": "Hello"}], "no tool calls: 1 records of messages."),
    (
        "a session",
        [{"type": "summary"}, {"type": "user", "uuid": "u", "message": {"content": "Hello"}}],
        "no tool calls: 1 other lines of a session.",
    ),
]


@pytest.mark.parametrize(("content", "said"), [row[1:] for row in OTHER_THINGS], ids=[row[0] for row in OTHER_THINGS])
@pytest.mark.parametrize("command", ["calls", "replay"])
def test_files_without_calls_are_told_apart(
    tmp_path: Path, command: str, content: list[dict[str, Any]], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was read is said, so that nobody takes it for a run without loops."""
    path = tmp_path / "file"
    path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
    assert main([command, str(path)]) == 0
    assert said in capsys.readouterr().out


def test_table_of_replay_has_signals_recoveries_and_a_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A loop the run gets out of is shown as recovered."""
    moving_on = [
        {"tool": "read", "args": {"page": n}, "result": f"Page {n}: {'news ' * n}", "at_ms": 60_000 + n}
        for n in range(6)
    ]
    assert main(["replay", cases(tmp_path, [*lookup(4), *moving_on])]) == 0
    out = capsys.readouterr().out
    assert "case-1" in out
    assert "warning    identical" in out
    assert "recovered  identical" in out
    assert out.splitlines()[-1] == "10 calls in 1 runs: 1 warnings, 0 critical"


def test_replay_says_how_many_runs_a_limit_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below the sum, where there was one."""
    path = trace_file(tmp_path)
    assert main(["replay", str(path)]) == 0
    assert "limit" not in capsys.readouterr().out
    document = json.loads(path.read_text(encoding="utf-8"))
    (agent,) = (span for span in document["resourceSpans"][0]["scopeSpans"][0]["spans"] if not span["parentSpanId"])
    agent["attributes"].append({"key": "error.type", "value": {"stringValue": "langgraph.errors.GraphRecursionError"}})
    path.write_text(json.dumps(document), encoding="utf-8")
    assert main(["replay", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "ended by a limit of the framework: 1 recursion_limit"


@pytest.mark.parametrize(
    ("calls", "level", "code"),
    [
        (WARNING - 1, "warning", 0),
        (WARNING, "warning", 1),
        (WARNING, "critical", 0),
        (CRITICAL, "critical", 1),
        (CRITICAL, "warning", 1),
        (CRITICAL, None, 0),
    ],
)
def test_exit_code_says_whether_loops_were_found(
    tmp_path: Path, calls: int, level: str | None, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only at the level asked for or above, and only if asked."""
    asked = ["--fail-on", level] if level else []
    assert main(["replay", cases(tmp_path, lookup(calls)), *asked]) == code


def test_configuration_holds_for_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--config changes what is signalled, as it does live."""
    config = tmp_path / "loopwatch.yaml"
    config.write_text("tools: {lookup: {ignore: true}}", encoding="utf-8")
    assert records(capsys, "replay", cases(tmp_path, lookup(9)), "--config", str(config)) == []


BAD_INPUT = [
    ("a file that is not there", None, "No such file"),
    ("an empty file", b"", "the file is empty"),
    ("neither spans nor calls", b'{"resourceMetrics": []}', "metrics, not spans"),
    ("no JSON", b"hello", "neither spans nor calls"),
]


@pytest.mark.parametrize("command", ["calls", "replay"])
@pytest.mark.parametrize(("content", "said"), [case[1:] for case in BAD_INPUT], ids=[case[0] for case in BAD_INPUT])
def test_bad_input_is_one_clear_line(
    tmp_path: Path, command: str, content: bytes | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, the file's name, and what is wrong with it."""
    path = tmp_path / "input.json"
    if content is not None:
        path.write_bytes(content)
    assert main([command, str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(f"otel-loopwatch: {path}: ")
    assert said in error


def test_bad_configuration_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, with the line of the file."""
    config = tmp_path / "loopwatch.yaml"
    config.write_text("window: wide", encoding="utf-8")
    assert main(["replay", cases(tmp_path, lookup(1)), "--config", str(config)]) == 2
    assert "loopwatch.yaml, line 1: window is 'wide'" in capsys.readouterr().err


def test_broken_lines_are_counted_and_the_rest_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is silently lost."""
    path = Path(cases(tmp_path, lookup(3)))
    path.write_text(path.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    assert main(["replay", str(path)]) == 0
    captured = capsys.readouterr()
    assert "3 calls in 1 runs" in captured.out
    assert captured.err == f"{path}: 1 skipped (line 2: not a JSON object)\n"


def test_a_budget_of_turns_is_signalled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Signals about model responses appear between those about calls."""
    config = tmp_path / "loopwatch.yaml"
    config.write_text("budget: {turns: 5}", encoding="utf-8")
    found = records(capsys, "replay", str(trace_file(tmp_path)), "--config", str(config))
    budget = [signal for signal in found if signal["kind"] == "budget"]
    assert [signal["call"] for signal in budget] == [5]
    assert len(records(capsys, "calls", str(trace_file(tmp_path)), "--config", str(config))) == len(SUPPORT.steps)
