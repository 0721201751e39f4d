"""Trajectories of software agents: SWE-agent, mini-swe-agent and OpenHands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sources.reading import EPOCH, SECOND, Row, case, check

SWE = [
    Row(
        "steps",
        [{"environment": "e", "trajectory": [{"action": "ls\n", "observation": "a.txt"}, {"action": "pwd"}]}],
        [
            {"tool": "bash", "arguments": {"command": "ls\n"}, "result": "a.txt", "batch": 0},
            {"tool": "bash", "arguments": {"command": "pwd"}, "result": None, "batch": 1},
        ],
    ),
    Row("a step without an action", [{"trajectory": [{"action": "", "observation": "say something"}]}], []),
    Row("no steps", [{"trajectory": []}], []),
    Row("wrong types", [{"trajectory": [{"action": 5}, None, "x", {"action": "ls"}]}, {"x": 1}], [{}], skipped=3),
]


@pytest.mark.parametrize("row", SWE, ids=case)
def test_swe_agent_trajectories_are_read(tmp_path: Path, row: Row) -> None:
    """Every action is a line for the shell."""
    check(tmp_path, row, "SWE-agent trajectory")


def say(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": content, **fields}


def fence(command: str, tag: str = "mswea_bash_command") -> dict[str, Any]:
    """A command as the model writes it."""
    return say("assistant", f"I look.\n\n```{tag}\n{command}\n```")


def shell(output: str, code: int = 0) -> dict[str, Any]:
    """What the shell gave back."""
    return say("user", f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>")


SYSTEM = say("system", "Use the shell:\n```mswea_bash_command\nyour command\n```")
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}

MINI = [
    Row(
        "a list of messages",
        [[SYSTEM, say("user", "Mend it."), fence("ls"), shell("a.txt"), fence("cat\nb"), shell("no", 1), fence("end")]],
        [
            {"tool": "bash", "arguments": {"command": "ls"}, "result": "a.txt", "failed": False},
            {"arguments": {"command": "cat\nb"}, "result": "no", "failed": True, "error": "no"},
            {"arguments": {"command": "end"}, "result": None},
        ],
    ),
    Row(
        "an object of its own",
        [{"trajectory_format": "mini-swe-agent-1", "messages": [fence("ls", "bash"), shell("a.txt")]}],
        [{"arguments": {"command": "ls"}, "result": "a.txt"}],
    ),
    Row(
        "calls of a tool",
        [
            {
                "trajectory_format": "mini-swe-agent-1.1",
                "messages": [
                    say("assistant", "I look.", tool_calls=[TOOL_CALL]),
                    say("tool", "a.txt", tool_call_id="c1"),
                ],
            }
        ],
        [{"tool": "bash", "arguments": '{"command": "ls"}', "result": "a.txt"}],
    ),
    Row("content in blocks", [[say("user", [{"text": shell("x")["content"]}]), fence("ls")]], [{}]),
    Row("an answer without tags", [[SYSTEM, fence("ls"), say("user", "timed out")]], [{"result": "timed out"}]),
    Row(
        "two commands are none", [[SYSTEM, say("assistant", fence("a")["content"] + "\n" + fence("b")["content"])]], []
    ),
    Row("what is no message", [[SYSTEM, {"x": 1}, fence("ls")]], [{}], skipped=1),
]


@pytest.mark.parametrize("row", MINI, ids=case)
def test_mini_swe_agent_trajectories_are_read(tmp_path: Path, row: Row) -> None:
    """The command stands in a fence, its result in tags."""
    check(tmp_path, row, "mini-swe-agent trajectory")


def act(number: int, action: str, call_id: str | None = None, **fields: Any) -> dict[str, Any]:
    """An action of the agent, version 0."""
    called = {"id": call_id, "function": {"name": "execute_bash", "arguments": '{"command": "ls"}'}}
    response = {"id": "r1", "choices": [{"message": {"tool_calls": [called]}}]}
    metadata = {"function_name": "execute_bash", "tool_call_id": call_id, "model_response": response}
    return {
        "id": number,
        "timestamp": f"2023-11-14T22:13:{20 + number}",
        "source": "agent",
        "action": action,
        "args": {"command": "ls", "thought": "I look."},
        **({"tool_call_metadata": metadata} if call_id else {}),
        **fields,
    }


def see(number: int, cause: int, content: str, kind: str = "run", code: int = 0) -> dict[str, Any]:
    """An observation, version 0."""
    return {
        "id": number,
        "timestamp": f"2023-11-14T22:13:{20 + number}",
        "source": "agent",
        "cause": cause,
        "observation": kind,
        "content": content,
        "extras": {"metadata": {"exit_code": code}},
    }


def new(kind: str, **fields: Any) -> dict[str, Any]:
    """An event, version 1."""
    return {"kind": kind, "id": "e", "source": "agent", "timestamp": "2023-11-14T22:13:20", **fields}


STARTED = {"id": 0, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}}
ASKED = {"id": 1, "source": "user", "action": "message", "args": {"content": "Mend it."}}
BASH = {"tool": "execute_bash", "arguments": '{"command": "ls"}', "result": "a.txt", "failed": False}
CALLED = {"id": "c1", "name": "terminal", "arguments": '{"command": "ls"}'}
V1 = new("ActionEvent", tool_name="terminal", tool_call_id="c1", tool_call=CALLED, llm_response_id="r1")
SEEN = {"content": [{"type": "text", "text": "a.txt"}], "is_error": False}

OPENHANDS = [
    Row(
        "events",
        [[STARTED, ASKED, act(2, "run", "c1"), see(3, 2, "a.txt")]],
        [
            {
                **BASH,
                "user_turn": 1,
                "start_ns": (EPOCH + 2) * SECOND,
                "end_ns": (EPOCH + 3) * SECOND,
            }
        ],
    ),
    Row(
        "an action without a call's name",
        [[act(2, "run"), see(3, 2, "a.txt")]],
        [{"tool": "run", "arguments": {"command": "ls"}, "result": "a.txt"}],
    ),
    Row("siblings", [[act(2, "run", "c1"), act(3, "run", "c1"), see(4, 3, "b")]], [{"batch": 0}, {"batch": 0}]),
    Row("a failure", [[act(2, "run", "c1"), see(3, 2, "no", code=2)]], [{"failed": True, "error": "no"}]),
    Row("an error", [[act(2, "edit", "c1"), see(3, 2, "no", "error")]], [{"failed": True}]),
    Row("still running", [[act(2, "run", "c1"), see(3, 2, "a.txt", code=-1)]], [{"failed": False}]),
    Row("no call", [[STARTED, ASKED, act(2, "message"), see(3, 2, "", "null"), act(4, "finish")]], []),
    Row(
        "lines of an evaluation",
        [{"instance_id": "i", "history": [act(2, "run", "c1"), see(3, 2, "a.txt")]}],
        [{**BASH, "run": "i"}],
    ),
    Row("pairs", [{"history": [[act(2, "run", "c1"), see(3, 2, "a.txt")]]}], [BASH]),
    Row(
        "version 1",
        [
            [
                new("MessageEvent", source="user"),
                V1,
                new("ObservationEvent", tool_name="terminal", tool_call_id="c1", observation=SEEN),
                V1,
                new("AgentErrorEvent", tool_call_id="c1", error="no shell"),
            ]
        ],
        [
            {"tool": "terminal", "arguments": '{"command": "ls"}', "result": "a.txt", "failed": False, "user_turn": 1},
            {"tool": "terminal", "result": "no shell", "failed": True},
        ],
    ),
    Row("what is no event", [[ASKED, {"x": 1}, act(2, "run", "c1")]], [{}], skipped=1),
    Row(
        "wrong types",
        [[{**act(2, "run"), "tool_call_metadata": 5, "args": 7, "id": []}, {**see(3, 2, "x"), "extras": "y"}]],
        [{"tool": "run"}],
    ),
]


@pytest.mark.parametrize("row", OPENHANDS, ids=case)
def test_openhands_trajectories_are_read(tmp_path: Path, row: Row) -> None:
    """Actions and observations are events of their own."""
    check(tmp_path, row, "OpenHands trajectory")
