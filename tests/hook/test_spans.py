"""What the gateway is told of a hook's events, read as it reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hooked import TOOLS, recorded
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.engine import Engine
from otel_loopwatch.hooks.event import Event, read
from otel_loopwatch.hooks.spans import request
from otel_loopwatch.hooks.transcript import began_ns
from otel_loopwatch.model import Kind, LoopSignal, ToolCall
from otel_loopwatch.otlp import decode, jsons
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import RunEnded, Tracker
from otel_loopwatch.tracker.replay import go_on

NOW = 1_780_000_000_000_000_000
MS = 1_000_000


def told(tool: str, event: str, now_ns: int = NOW, **changed: Any) -> SpanData:
    """The span that an event makes."""
    heard = read(json.dumps(recorded(tool, event, **changed)).encode())
    assert heard is not None
    return received(heard, tool, now_ns)


def received(event: Event, tool: str, now_ns: int = NOW) -> SpanData:
    """The one span of a request, through the gateway's own decoder."""
    (span,) = decode.spans(jsons.parse(ExportTraceServiceRequest, request(event, tool, now_ns)))
    return span


def test_a_call_is_a_span_of_the_conventions() -> None:
    """It ends as it is told, and began as long ago as it took."""
    span = told("claude-code", "post_tool_use")
    assert (span.name, span.start_ns, span.end_ns) == ("execute_tool Bash", NOW - 69 * MS, NOW)
    assert not span.failed
    assert span.attributes["gen_ai.tool.call.arguments"] == '{"command": "echo hello", "description": "say hello"}'
    assert json.loads(str(span.attributes["gen_ai.tool.call.result"]))["stdout"] == "hello"
    assert span.attributes["gen_ai.agent.name"] == "claude-code"


def test_a_text_is_told_as_it_is() -> None:
    """Codex gives what the model was shown."""
    assert told("codex", "post_tool_use").attributes["gen_ai.tool.call.result"] == "hello\n"


def test_an_empty_result_is_not_an_unknown_one() -> None:
    """And no result at all is none."""
    assert told("codex", "post_tool_use", tool_response="").attributes["gen_ai.tool.call.result"] == ""
    assert "gen_ai.tool.call.result" not in told("codex", "post_tool_use", tool_response=None).attributes


def test_a_failed_call_is_an_error_with_its_text() -> None:
    """It has no result."""
    span = told("claude-code", "post_tool_use_failure")
    assert span.failed
    assert span.status_message.endswith("No such file or directory")
    assert "gen_ai.tool.call.result" not in span.attributes


def test_a_call_told_twice_is_one_span() -> None:
    """Its id comes from the call's; calls without one are told apart by their time."""
    twice = [told("codex", "post_tool_use", now_ns=now).span_id for now in (NOW, NOW + 1)]
    nameless = [told("codex", "post_tool_use", now_ns=now, tool_use_id=None).span_id for now in (NOW, NOW + 1)]
    assert len(set(twice)) == 1
    assert len(set(nameless)) == 2


@pytest.mark.parametrize("tool", TOOLS)
def test_repeated_calls_are_a_loop_of_their_agent(tool: str) -> None:
    """A sub-agent's calls between them do not count."""
    signals: list[LoopSignal] = []
    engine, tracker = Engine(), Tracker(children_first=True)
    for n in range(8):
        for event in ("post_tool_use", "subagent_post_tool_use") if n < 2 else ("post_tool_use",):
            span = told(tool, event, now_ns=NOW + n * 1000 * MS, tool_use_id=f"{event}{n}")
            for call in go_on([span], tracker):
                assert isinstance(call, ToolCall)
                signals += engine.observe(call).signals
    run = f"{told(tool, 'post_tool_use').trace_id:032x}"
    assert {(signal.run, signal.kind) for signal in signals} == {(run, Kind.IDENTICAL)}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("whose", ["", "subagent_"])
def test_the_end_is_the_span_of_the_agent_and_ends_its_run(tool: str, whose: str) -> None:
    """Its calls hang from it."""
    end = "subagent_stop" if whose else "session_end"
    call, agent = told(tool, f"{whose}post_tool_use"), told(tool, end, now_ns=NOW + MS)
    assert (agent.trace_id, agent.span_id) == (call.trace_id, call.parent_id)
    tracker = Tracker(children_first=True)
    made = [step for span in (call, agent) for step in go_on([span], tracker)]
    assert [type(step) for step in made] == [ToolCall, RunEnded]


@pytest.mark.parametrize(
    ("written", "began"),
    [
        (
            '{"type":"queue","timestamp":"2026-11-30T11:14:50.944Z"}\n{"timestamp":"2027-01-01T00:00:00Z"}',
            1796037290944,
        ),
        ('{"type":"summary"}\n{"timestamp":"2026-11-30T12:14:50.944+01:00"}', 1796037290944),
        ('{"timestamp":"yesterday"}', None),
        ('{"timestamp":"0001-01-01T00:00:00+14:00"}', None),
        ('{"timestamp":7}\n[]', None),
        ("broken", None),
        ("[" * 60_000, None),
        ("", None),
    ],
)
def test_a_session_began_with_its_transcript(written: str, began: int | None, tmp_path: Path) -> None:
    """With the first entry that has a time; ms since the epoch here."""
    path = tmp_path / "transcript.jsonl"
    path.write_text(written)
    found = began_ns(str(path))
    assert found == (began * MS if began is not None else None)
    span = told("codex", "session_end", transcript_path=str(path), now_ns=1796037290944 * MS + 5)
    assert span.start_ns == (found or span.end_ns)


def test_a_transcript_that_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A pipe would never end."""
    assert began_ns("/dev/zero") is None
    assert began_ns(str(tmp_path)) is None
    assert began_ns(str(tmp_path / "none")) is None
    assert began_ns("\0") is None


def test_an_agent_does_not_begin_after_its_end(tmp_path: Path) -> None:
    """Whatever its transcript says."""
    path = tmp_path / "transcript.jsonl"
    path.write_text('{"timestamp":"2099-01-01T00:00:00Z"}')
    span = told("codex", "session_end", transcript_path=str(path))
    assert (span.start_ns, span.end_ns) == (NOW, NOW)
