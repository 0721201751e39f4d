"""`blocked`: what agents said they lack, from the spans of guarded runs and from calls of report_blocked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guard.agent import guarded
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_loopwatch.cli import blocked, main
from otel_loopwatch.guard.blocked import REPORT_BLOCKED


def otlp(span: ReadableSpan) -> dict[str, object]:
    """A span with its events as OTLP/JSON."""
    context = span.get_span_context()
    assert context
    return {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        "name": span.name,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": pairs(dict(span.attributes or {})),
        "events": [{"name": event.name, "attributes": pairs(dict(event.attributes or {}))} for event in span.events],
    }


def pairs(attributes: dict[str, object]) -> list[dict[str, object]]:
    """Attributes as OTLP/JSON has them."""
    return [{"key": key, "value": {"stringValue": str(value)}} for key, value in attributes.items()]


def traces(tmp_path: Path, *needs: str) -> str:
    """A file of guarded runs, one for each need."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    for needed in needs:
        with guarded(tracer_provider=provider) as run:
            run.attempt(lambda: "nothing", {})
            run.report_blocked("everything", needed)
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [otlp(span) for span in exporter.get_finished_spans()]}]}]}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def cases(tmp_path: Path, *arguments: object) -> str:
    """A file of cases, each with one call of the tool."""
    lines = [
        json.dumps({"id": f"case-{number}", "calls": [{"tool": tool, "args": args, "result": "ok", "at_ms": 0}]})
        for number, args in enumerate(arguments, 1)
        for tool in (REPORT_BLOCKED, "search")
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_what_was_lacked_most_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However it was spelt, and whether it was an event or a call."""
    files = [
        traces(tmp_path, "The order number.", "a refund limit", "the  order number"),
        cases(tmp_path, {"needed": "THE ORDER NUMBER"}, '{"needed": "write access"}', {"needed": " "}, {}, None, "no"),
    ]
    assert main(["blocked", *files]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "     3  The order number.",
        "     1  a refund limit",
        "     1  write access",
    ]
    assert main(["blocked", "--json", *files]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0]) == {"needed": "The order number.", "runs": 3}


def test_an_event_and_the_call_behind_it_count_once() -> None:
    """Both are of one trace."""
    assert blocked.counted([("f 1", "a key"), ("f 1", "A key."), ("f 2", "a key")]) == [("a key", 2)]


def test_nothing_reported_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line for people, nothing for programs; a file that cannot be read is bad input."""
    path = cases(tmp_path, {})
    assert main(["blocked", path]) == 0
    assert capsys.readouterr().out == "no agent reported that it was blocked\n"
    assert main(["blocked", "--json", path]) == 0
    assert capsys.readouterr().out == ""
    assert main(["blocked", str(tmp_path / "absent")]) == 2
    assert "absent" in capsys.readouterr().err


def test_the_command_and_the_guard_mean_one_tool() -> None:
    """The command does not import the guard for its name."""
    assert blocked.TOOL == REPORT_BLOCKED
