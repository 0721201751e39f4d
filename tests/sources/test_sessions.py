"""Session files of coding agents: Claude Code and Codex."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sources.reading import EPOCH, SECOND, Row, case, check, lines, opened, tracked

from otel_loopwatch.tracker.events import RunEnded


def claude(number: int, kind: str, content: Any, message_id: str | None = None, **fields: Any) -> dict[str, Any]:
    """A line of a Claude Code session, ``number`` seconds after the start."""
    return {
        "type": kind,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": "s",
        "isSidechain": False,
        "timestamp": f"2023-11-14T22:13:{20 + number}.000Z",
        "message": {"role": kind, "content": content, "id": message_id},
        **fields,
    }


def use(call_id: str, tool: str = "Bash", **given: Any) -> list[dict[str, Any]]:
    """A call."""
    return [{"type": "tool_use", "id": call_id, "name": tool, "input": given}]


def result(call_id: str, content: Any, **fields: Any) -> list[dict[str, Any]]:
    """An answer."""
    return [{"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}]


CLAUDE = [
    Row(
        "a call and its answer",
        [
            {"type": "summary", "summary": "listing", "leafUuid": "u9"},
            claude(0, "user", "List the files."),
            claude(1, "assistant", use("t1", command="ls"), "m1"),
            claude(2, "user", result("t1", [{"type": "text", "text": "a.txt"}])),
        ],
        [
            {
                "run": "s",
                "tool": "Bash",
                "arguments": {"command": "ls"},
                "result": "a.txt",
                "failed": False,
                "user_turn": 1,
                "start_ns": (EPOCH + 1) * SECOND,
                "end_ns": (EPOCH + 2) * SECOND,
            }
        ],
    ),
    Row(
        "blocks of one response on lines of their own",
        [
            claude(1, "assistant", use("t1"), "m1"),
            claude(2, "user", result("t1", "one")),
            claude(3, "assistant", use("t2"), "m1"),
            claude(4, "user", result("t2", "two")),
            claude(5, "assistant", use("t3"), "m2"),
        ],
        [{"batch": 0, "result": "one"}, {"batch": 0, "result": "two"}, {"batch": 1, "result": None}],
    ),
    Row(
        "a failure",
        [claude(1, "assistant", use("t1"), "m1"), claude(2, "user", result("t1", "Exit code 1", is_error=True))],
        [{"failed": True, "error": "Exit code 1"}],
    ),
    Row(
        "subagents that are named",
        [
            claude(1, "assistant", use("t1", "Task", prompt="look"), "m1"),
            claude(2, "assistant", use("t2"), "m2", agentId="a", isSidechain=True),
            claude(3, "user", result("t2", "found"), agentId="a", isSidechain=True),
            claude(4, "user", result("t1", "done")),
        ],
        [{"run": "s/a", "tool": "Bash", "group": "s"}, {"run": "s", "tool": "Task", "result": "done"}],
    ),
    Row(
        "subagents that are only chains of lines",
        [
            claude(1, "user", "look", isSidechain=True, parentUuid=None),
            claude(2, "user", "look elsewhere", isSidechain=True, parentUuid=None),
            claude(3, "assistant", use("t1"), "m1", isSidechain=True, parentUuid="u1"),
            claude(4, "assistant", use("t2"), "m2", isSidechain=True, parentUuid="u2"),
            claude(5, "user", result("t1", "one"), isSidechain=True, parentUuid="u3"),
        ],
        [{"run": "s/u1", "result": "one"}, {"run": "s/u2", "result": None}],
    ),
    Row(
        "what the SDK prints",
        [
            {"type": "system", "subtype": "init", "session_id": "s"},
            {"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": use("t1")}},
            {"type": "user", "session_id": "s", "message": {"role": "user", "content": result("t1", "a.txt")}},
            {"type": "result", "session_id": "s"},
        ],
        [{"run": "s", "tool": "Bash", "result": "a.txt"}],
    ),
    Row("no tool", [claude(0, "user", "Hello"), claude(1, "assistant", [{"type": "text", "text": "Hello"}], "m1")], []),
    Row("what is no line", [claude(0, "user", "Hello"), {"x": 1}, claude(1, "assistant", use("t1"))], [{}], skipped=1),
    Row(
        "wrong types",
        [claude(1, "assistant", [5, {"type": "tool_use", "name": 5}, {"type": []}], 7), claude(2, "user", {"a": 1})],
        [],
    ),
]


@pytest.mark.parametrize("row", CLAUDE, ids=case)
def test_claude_code_sessions_are_read(tmp_path: Path, row: Row) -> None:
    """Calls of the agent and of each subagent are runs of their own."""
    check(tmp_path, row, "Claude Code session")


def test_each_run_of_a_session_ends(tmp_path: Path) -> None:
    """So that it is counted; other lines are counted, too."""
    session = [claude(1, "assistant", use("t1"), agentId="a"), claude(2, "user", "Hello"), {"type": "summary"}]
    file = opened(tmp_path, lines(session))
    assert {told for told in tracked(file) if isinstance(told, RunEnded)} == {
        RunEnded("s/a", "ended"),
        RunEnded("s", "ended"),
    }
    assert sum(file.records.passed.values()) == 1


def codex(kind: str, number: int = 0, **payload: Any) -> dict[str, Any]:
    """A line of a Codex session with an item of the Responses API."""
    item = {"type": kind, **payload}
    return {"timestamp": f"2023-11-14T22:13:{20 + number}.000Z", "type": "response_item", "payload": item}


META = {"timestamp": "2023-11-14T22:13:20.000Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/"}}
CALL = codex("function_call", 1, name="shell", arguments='{"command": ["ls"]}', call_id="c1")
HEAD = "Chunk ID: 1f\nWall time: 0.05 seconds\nProcess exited with code 2\nOriginal token count: 9\nOutput:\n"


def output(text: Any, call_id: str = "c1") -> dict[str, Any]:
    """The answer to a call."""
    return codex("function_call_output", 2, call_id=call_id, output=text)


CODEX = [
    Row(
        "a call and its answer",
        [META, CALL, {"type": "event_msg", "payload": {"type": "token_count"}}, output("a.txt")],
        [
            {
                "run": "s",
                "tool": "shell",
                "arguments": '{"command": ["ls"]}',
                "result": "a.txt",
                "start_ns": (EPOCH + 1) * SECOND,
                "end_ns": (EPOCH + 2) * SECOND,
            }
        ],
    ),
    Row(
        "an envelope",
        [
            META,
            CALL,
            output(json.dumps({"output": "no such file", "metadata": {"exit_code": 2, "duration_seconds": 0.1}})),
        ],
        [{"result": "no such file", "failed": True, "error": "no such file"}],
    ),
    Row("another envelope", [META, CALL, output({"content": "a.txt", "success": True})], [{"result": "a.txt"}]),
    Row("lines above the output", [META, CALL, output(HEAD + "no")], [{"result": "no", "failed": True}]),
    Row("output that only looks so", [META, CALL, output("Output:\nx")], [{"result": "Output:\nx", "failed": False}]),
    Row(
        "siblings",
        [
            META,
            codex("message", role="user", content=[{"type": "input_text", "text": "?"}]),
            CALL,
            codex("custom_tool_call", name="apply_patch", input="*** Begin", call_id="c2"),
            output("one"),
            codex("custom_tool_call_output", call_id="c2", output="two"),
            codex("local_shell_call", call_id="c3", action={"command": ["pwd"]}),
        ],
        [
            {"tool": "shell", "batch": 0, "user_turn": 1, "result": "one"},
            {"tool": "apply_patch", "batch": 0, "arguments": "*** Begin", "result": "two"},
            {"tool": "local_shell", "batch": 1, "arguments": {"command": ["pwd"]}, "result": None},
        ],
    ),
    Row(
        "items without an envelope",
        [
            {"id": "s", "timestamp": "2023-11-14T22:13:20.000Z", "instructions": None},
            {"record_type": "state"},
            CALL["payload"],
            output("a.txt")["payload"],
        ],
        [{"tool": "shell", "result": "a.txt"}],
    ),
    Row("no tool", [META], []),
    Row("wrong types", [META, {"type": 5}, codex("function_call", name=5), {"type": "x", "payload": 5}], [], skipped=1),
]


@pytest.mark.parametrize("row", CODEX, ids=case)
def test_codex_sessions_are_read(tmp_path: Path, row: Row) -> None:
    """What Codex writes around an output differs on every call and is taken off."""
    check(tmp_path, row, "Codex session")
