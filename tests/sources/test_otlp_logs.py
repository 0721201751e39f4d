from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sources.reading import EPOCH, SECOND, Row, case, check, lines, opened, tracked

from otel_loopwatch.sources import SpansFile


def value(found: Any) -> dict[str, Any]:
    """An AnyValue."""
    if isinstance(found, dict):
        return {"kvlistValue": {"values": pairs(found)}}
    if isinstance(found, list):
        return {"arrayValue": {"values": [value(item) for item in found]}}
    return {"stringValue": found} if isinstance(found, str) else {"intValue": str(found)} if found is not None else {}


def pairs(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes."""
    return [{"key": key, "value": value(item)} for key, item in found.items()]


def event(number: int, name: str, attributes: dict[str, Any], body: Any = None, **fields: Any) -> dict[str, Any]:
    """A log record, ``number`` seconds after the start, in a span and trace of the same number."""
    return {
        "eventName": name,
        "timeUnixNano": str((EPOCH + number) * SECOND),
        "traceId": f"{number + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "attributes": pairs(attributes),
        "body": value(body),
        **fields,
    }


def document(*events: Any) -> dict[str, Any]:
    """A document of log records."""
    return {"resourceLogs": [{"scopeLogs": [{"scope": {"name": "lib"}, "logRecords": list(events)}]}]}


ASKED = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"a": "b"}}]}
ANSWERED = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rain"}]}
DETAILS = "gen_ai.client.inference.operation.details"


def details(number: int, given: list[Any], answer: list[Any]) -> dict[str, Any]:
    """A request and its answer as one event."""
    messages = {"gen_ai.input.messages": given, "gen_ai.output.messages": answer}
    return event(number, DETAILS, {"gen_ai.operation.name": "chat", **messages})


CALLED = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"a": "b"}'}}
CHOICE = {"index": 0, "finish_reason": "tool_calls", "message": {}, "tool_calls": [CALLED]}
BLOCK = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"a": "b"}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "rain"}
CALL = {"tool": "weather", "arguments": {"a": "b"}, "result": "rain", "call_id": "c1"}
TEXT_CALL = {**CALL, "arguments": '{"a": "b"}'}
CODEX = {
    "event.name": "codex.tool_result",
    "conversation.id": "talk",
    "tool_name": "shell",
    "call_id": "c1",
    "arguments": '{"command": ["ls"]}',
    "output": "a.txt",
    "duration_ms": "500",
    "success": "true",
}
CLAUDE = {
    "event.name": "tool_result",
    "session.id": "talk",
    "tool_name": "Bash",
    "tool_use_id": "c1",
    "tool_input": '{"command": "ls"}',
    "success": "false",
    "error_type": "tool_error",
}
NO_IDS = {"traceId": "", "spanId": ""}

ROWS = [
    Row("details", [document(details(1, [], [ASKED]), details(2, [ASKED, ANSWERED], []))], [CALL]),
    Row(
        "documents out of order",
        [document(details(2, [ASKED, ANSWERED], [])), document(details(1, [], [ASKED]))],
        [CALL],
    ),
    Row(
        "messages one by one",
        [
            document(
                event(1, "gen_ai.user.message", {}, {"content": "?"}),
                event(1, "gen_ai.choice", {}, CHOICE),
                event(2, "gen_ai.user.message", {}, {"content": "?"}),
                event(2, "gen_ai.assistant.message", {}, {"tool_calls": [CALLED]}),
                event(2, "gen_ai.tool.message", {}, {"id": "c1", "content": "rain"}),
                event(2, "gen_ai.choice", {}, {"message": {"content": "It rains."}}),
            )
        ],
        [TEXT_CALL],
    ),
    Row(
        "messages without spans, results without ids",
        [
            document(
                event(1, "gen_ai.choice", {}, CHOICE, **NO_IDS),
                event(2, "gen_ai.assistant.message", {}, {"content": [BLOCK]}, **NO_IDS),
                event(2, "gen_ai.user.message", {}, {"content": [RESULT]}, **NO_IDS),
                event(2, "gen_ai.choice", {}, {"message": {"content": "It rains."}}, **NO_IDS),
            )
        ],
        [TEXT_CALL],
    ),
    Row(
        "Codex",
        [document(event(1, "", CODEX, **NO_IDS), event(2, "", CODEX, **NO_IDS))],
        [
            {
                "tool": "shell",
                "arguments": '{"command": ["ls"]}',
                "result": "a.txt",
                "failed": False,
                "start_ns": EPOCH * SECOND + SECOND // 2,
                "end_ns": (EPOCH + 1) * SECOND,
            },
            {"tool": "shell", "batch": 2},
        ],
    ),
    Row(
        "Claude Code",
        [document(event(1, "", CLAUDE, "claude_code.tool_result"), event(2, "", {"event.name": "tool_decision"}))],
        [{"tool": "Bash", "arguments": '{"command": "ls"}', "result": None, "failed": True}],
    ),
    Row(
        "Gemini CLI",
        [document(event(1, "gemini_cli.tool_call", {"function_name": "ls", "function_args": "{}", "duration_ms": 5}))],
        [{"tool": "ls", "arguments": "{}"}],
    ),
    Row("events of no call", [document(event(1, "gen_ai.user.message", {}, {"content": "?"}), event(2, "x", {}))], []),
    Row("spans between log records", [document(details(1, [], [ASKED])), {"x": 1}], [{"tool": "weather"}], skipped=1),
    Row("what is no log record", [document(None, 5, details(1, [], [ASKED]))], [{"tool": "weather"}], skipped=2),
    Row(
        "wrong types",
        [document({"eventName": 5, "body": "x", "attributes": 7}, {"eventName": "gen_ai.choice", "body": {"x": []}})],
        [],
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_log_records_are_read(tmp_path: Path, row: Row) -> None:
    """Each event is the span it stands for."""
    check(tmp_path, row, "OTLP/JSON log records")


def test_calls_of_a_session_are_one_run(tmp_path: Path) -> None:
    """Events outside of any trace belong to their conversation."""
    other = {**CODEX, "conversation.id": "other"}
    told = tracked(opened(tmp_path, lines([document(*(event(n, "", CODEX, **NO_IDS) for n in range(5)))])))
    assert len({one.run for one in told}) == 1
    told = tracked(opened(tmp_path, lines([document(event(1, "", CODEX, **NO_IDS), event(2, "", other, **NO_IDS))])))
    assert len({one.run for one in told}) == 2


def test_a_sub_agent_of_a_session_is_a_run_of_its_own(tmp_path: Path) -> None:
    """Claude Code says which agent of the session made a call."""
    calls = CLAUDE, {**CLAUDE, "agent_id": "a1"}
    events = [event(number, "", call, "claude_code.tool_result", **NO_IDS) for number, call in enumerate(calls)]
    assert len({one.run for one in tracked(opened(tmp_path, lines([document(*events)])))}) == 2


def test_records_of_no_call_are_counted(tmp_path: Path) -> None:
    """So that a file of log records is told from one without loops."""
    file = opened(tmp_path, lines([document(event(1, "x", {}), event(2, "y", {}))]))
    assert tracked(file) == []
    assert dict(file.records.passed) == {"log records": 2}


def test_requests_that_are_never_answered_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest first: its answer then tells what it tells by itself."""
    monkeypatch.setattr("otel_loopwatch.sources.otlp_logs.MAX_REQUESTS", 1)
    asking = [event(number, "gen_ai.tool.message", {}, {"id": "c1", "content": "rain"}) for number in (1, 2)]
    answers = [event(number, "gen_ai.choice", {}, CHOICE) for number in (1, 2)]
    file = opened(tmp_path, lines([document(*asking, *answers)]))
    assert isinstance(file, SpansFile)
    assert [len(span.attributes["gen_ai.input.messages"]) for span in file] == [0, 1]
