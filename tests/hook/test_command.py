"""`otel-loopwatch hook` as a tool runs it."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from threading import Event
from typing import Any

import pytest
from hooked import GO_ON, HALT, TAKEN, TOOLS, recorded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from receiver import DEADLINE_S, Answer, Receiver, status

from otel_loopwatch.cli import main
from otel_loopwatch.cli.hook import MAX_EVENT_BYTES
from otel_loopwatch.hooks.tools import LIMIT_S

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
INSTALLED = Path(sys.executable).parent / "otel-loopwatch"

Starting = Callable[..., Receiver]
Hooking = Callable[..., tuple[int, str, str]]


@pytest.fixture
def starting() -> Iterator[Starting]:
    """Starts gateways, and ends them after the test."""
    started: list[Receiver] = []

    def start(*answers: Answer) -> Receiver:
        started.append(Receiver(*answers))
        return started[-1]

    yield start
    for receiver in started:
        receiver.close()


@pytest.fixture
def hooking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hooking:
    """Runs the command in this process: its exit code and what it printed."""

    def hook(event: object, *flags: str, tool: str = "claude-code") -> tuple[int, str, str]:
        path = tmp_path / "stdin"
        path.write_bytes(event if isinstance(event, bytes) else json.dumps(event).encode())
        with path.open() as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            code = main(["hook", tool, *flags])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return hook


def at(receiver: Receiver, *flags: str) -> tuple[str, ...]:
    """The flags by which a hook finds a gateway, in good time."""
    return ("--gateway", f"http://127.0.0.1:{receiver.port}", "--timeout-ms", str(int(DEADLINE_S * 1000)), *flags)


def hang(_: socket.socket, over: Event) -> None:
    """Say nothing until the test is over."""
    over.wait(DEADLINE_S)


def refusal(printed: str) -> str:
    """The reason of a refused call, in the format of both tools."""
    told = json.loads(printed)["hookSpecificOutput"]
    assert (told["hookEventName"], told["permissionDecision"]) == ("PreToolUse", "deny")
    return str(told["permissionDecisionReason"])


@pytest.mark.parametrize("tool", TOOLS)
def test_a_call_of_a_halted_run_is_refused_with_the_advice(starting: Starting, hooking: Hooking, tool: str) -> None:
    """And with who halted it."""
    code, out, err = hooking(recorded(tool, "pre_tool_use"), *at(starting(HALT)), tool=tool)
    assert (code, err) == (0, "")
    assert refusal(out).startswith("This run was halted by ann. Bash repeats. Take another way. Do not call tools")
    assert json.loads(out).keys() == {"hookSpecificOutput"}


def test_claude_code_can_be_ended_as_well(starting: Starting, hooking: Hooking) -> None:
    """By a flag: nothing more is asked of its model."""
    _, out, _ = hooking(recorded("claude-code", "pre_tool_use"), *at(starting(HALT), "--end"))
    told = json.loads(out)
    assert (told["continue"], told["stopReason"]) == (False, refusal(out))


@pytest.mark.parametrize("tool", TOOLS)
def test_a_call_of_any_other_run_is_neither_refused_nor_allowed(
    starting: Starting, hooking: Hooking, tool: str
) -> None:
    """The tool's own rules hold."""
    receiver = starting(GO_ON)
    assert hooking(recorded(tool, "pre_tool_use"), *at(receiver), tool=tool) == (0, "", "")
    assert receiver.request().line.startswith("GET /v1/decisions/")


def test_a_sub_agent_is_stopped_with_its_session(starting: Starting, hooking: Hooking) -> None:
    """It is asked for under its own trace first."""
    receiver = starting(GO_ON, HALT)
    _, out, _ = hooking(recorded("codex", "subagent_pre_tool_use"), *at(receiver), tool="codex")
    assert "halted by ann" in refusal(out)
    assert receiver.request().line != receiver.request().line


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("event", ["post_tool_use", "subagent_post_tool_use", "subagent_stop", "session_end"])
def test_what_is_over_is_reported(starting: Starting, hooking: Hooking, tool: str, event: str) -> None:
    """As spans, and nothing is said to the tool."""
    receiver = starting(TAKEN)
    assert hooking(recorded(tool, event), *at(receiver), tool=tool) == (0, "", "")
    request = receiver.request()
    assert request.line.startswith("POST /v1/traces")
    assert json.loads(request.body)["resourceSpans"][0]["scopeSpans"][0]["spans"]


@pytest.mark.parametrize("event", ["stop", "session_start"])
def test_other_events_are_passed_over(starting: Starting, hooking: Hooking, event: str) -> None:
    """The gateway does not hear of them."""
    receiver = starting(TAKEN)
    assert hooking(recorded("claude-code", event), *at(receiver)) == (0, "", "")
    with pytest.raises(Empty):
        receiver.requests.get_nowait()


BROKEN = [
    pytest.param(b"", id="empty"),
    pytest.param(b"\xff\xfe{", id="no-text"),
    pytest.param(b'{"hook_event_name": "PreToolUse"}', id="no-session"),
    pytest.param(b"[" * 100_000, id="nested"),
    pytest.param(b" " * (MAX_EVENT_BYTES + 1), id="too-long"),
]


@pytest.mark.parametrize("data", BROKEN)
def test_a_broken_event_breaks_nothing(starting: Starting, hooking: Hooking, data: bytes) -> None:
    """In silence; one line with --verbose; a refusal if nothing may go on unasked."""
    gateway = at(starting(HALT))
    assert hooking(data, *gateway) == (0, "", "")
    code, out, err = hooking(data, *gateway, "--verbose", "--fail", "closed")
    assert (code, err.count("\n")) == (0, 1)
    assert "cannot be asked" in refusal(out)


@pytest.mark.parametrize("answer", [b"", status(500), b"no HTTP", hang], ids=["closed", "500", "other", "silent"])
@pytest.mark.parametrize("event", ["pre_tool_use", "post_tool_use", "session_end"])
def test_a_gateway_that_does_not_answer_breaks_nothing(
    starting: Starting, hooking: Hooking, event: str, answer: Answer
) -> None:
    """Only a call that is still to come can be refused for it."""
    flags = ("--gateway", f"http://127.0.0.1:{starting(answer).port}", "--timeout-ms", "80")
    told = recorded("claude-code", event)
    assert hooking(told, *flags) == (0, "", "")
    code, out, err = hooking(told, *flags, "--fail", "closed", "--verbose")
    assert (code, err.count("\n")) == (0, 1)
    assert ("cannot be asked" in refusal(out)) if event == "pre_tool_use" else (out == "")


@pytest.mark.parametrize(
    ("flags", "rule"),
    [
        (["--timeout-ms", "0"], "must be a whole number from 1 to 60000"),
        (["--timeout-ms", "soon"], "must be a whole number from 1 to 60000"),
        (["--fail", "sometimes"], "invalid choice"),
        (["--dance"], "unrecognized arguments"),
    ],
)
def test_a_wrong_flag_does_not_forbid_the_call(flags: list[str], rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 would, in both tools."""
    with pytest.raises(SystemExit) as ended:
        main(["hook", "codex", *flags])
    assert ended.value.code == 1
    assert rule in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "rule"),
    [
        (["--gateway", "gateway"], "must be an http or https URL"),
        (["--token-file", "/no/such/file"], "No such file"),
        (["--token-file", os.devnull], "it must hold a token"),
        (["--end"], "--end: codex has no way"),
    ],
)
@pytest.mark.parametrize(("fail", "code"), [("open", 1), ("closed", 2)])
def test_wrong_settings_are_said_and_forbid_only_where_asked(
    hooking: Hooking, flags: list[str], rule: str, fail: str, code: int
) -> None:
    """Silence would hide that nobody watches."""
    got, out, err = hooking(recorded("codex", "pre_tool_use"), *flags, "--fail", fail, tool="codex")
    assert (got, out) == (code, "")
    assert rule in err


def test_the_environment_tells_where_the_gateway_is(
    starting: Starting, hooking: Hooking, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And where its token lies."""
    receiver = starting(GO_ON)
    (tmp_path / "token").write_text("s3cret\nof_before\n")
    monkeypatch.setenv("OTEL_LOOPWATCH_GATEWAY", f"http://127.0.0.1:{receiver.port}")
    monkeypatch.setenv("OTEL_LOOPWATCH_GATEWAY_TOKEN_FILE", str(tmp_path / "token"))
    hooking(recorded("codex", "pre_tool_use"), "--timeout-ms", "10000", tool="codex")
    assert receiver.request().headers["Authorization"] == "Bearer s3cret"


@pytest.mark.parametrize("tool", TOOLS)
def test_the_settings_name_the_command_with_its_flags(hooking: Hooking, tool: str) -> None:
    """For every event that the tool has; it gives up later than the hook."""
    flags = [
        "--gateway",
        "http://watch:4318/a b".replace(" ", "%20"),
        "--timeout-ms",
        "500",
        "--fail",
        "closed",
        "--verbose",
    ]
    code, out, _ = hooking(b"", *flags, "--settings", tool=tool)
    assert code == 0
    hooks: dict[str, Any] = json.loads(out)["hooks"]
    assert {"PreToolUse", "PostToolUse", "SubagentStop", "SessionEnd"} <= hooks.keys()
    assert ("PostToolUseFailure" in hooks) == (tool == "claude-code")
    ((command,),) = {tuple(one["command"] for group in groups for one in group["hooks"]) for groups in hooks.values()}
    assert shlex.split(command) == ["otel-loopwatch", "hook", tool, *flags]
    assert {one["timeout"] for groups in hooks.values() for group in groups for one in group["hooks"]} == {LIMIT_S}


def test_the_settings_are_short_where_nothing_is_given(hooking: Hooking) -> None:
    """Defaults are not repeated."""
    _, out, _ = hooking(b"", "--settings", "--end")
    assert json.loads(out)["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == "otel-loopwatch hook claude-code --end"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["pre_tool_use", "post_tool_use", "session_end"]),
    st.dictionaries(
        st.sampled_from("session_id agent_id tool_name tool_input tool_response duration_ms transcript_path".split()),
        st.none()
        | st.integers()
        | st.text()
        | st.lists(st.text(), max_size=2)
        | st.sampled_from(["\ud800", "a\0b", "/dev/zero"]),
        max_size=4,
    ),
)
def test_nothing_that_a_tool_may_write_breaks_it(
    receiver: Receiver, hooking: Hooking, event: str, changed: dict[str, Any]
) -> None:
    """Exit code 0, and nothing said."""
    assert hooking(recorded("codex", event, **changed), *at(receiver), tool="codex") == (0, "", "")


@pytest.fixture
def receiver(starting: Starting) -> Receiver:
    """A gateway that lets every run go on."""
    return starting(GO_ON)


def installed(*flags: str, data: bytes | None, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """The installed command; without data, its input stays open."""
    command = [INSTALLED, "hook", "claude-code", *flags]
    env = {**CLEAN, **(env or {})}
    if data is not None:
        return subprocess.run(command, input=data, env=env, capture_output=True, timeout=60, check=False)
    reading, writing = os.pipe()
    try:
        return subprocess.run(command, stdin=reading, env=env, capture_output=True, timeout=60, check=False)
    finally:
        os.close(reading)
        os.close(writing)


def outcome(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    """Exit code and what was printed."""
    return done.returncode, done.stdout, done.stderr


def test_the_installed_command_refuses_and_reports(starting: Starting) -> None:
    """In processes of its own."""
    told = json.dumps(recorded("claude-code", "pre_tool_use")).encode()
    code, out, err = outcome(installed(*at(starting(HALT)), data=told))
    assert (code, err) == (0, b"")
    assert "halted by ann" in refusal(out.decode())
    receiver = starting(TAKEN)
    over = json.dumps(recorded("claude-code", "post_tool_use")).encode()
    assert outcome(installed(*at(receiver), data=over)) == (0, b"", b"")
    assert receiver.request().line.startswith("POST")


@pytest.mark.parametrize("data", [None, b"{", json.dumps(recorded("claude-code", "pre_tool_use")).encode()])
def test_the_installed_command_ends_in_silence_whatever_hangs(starting: Starting, data: bytes | None) -> None:
    """Also while a thread of it still waits for its input or for the gateway."""
    flags = ("--gateway", f"http://127.0.0.1:{starting(hang).port}", "--timeout-ms", "100")
    assert outcome(installed(*flags, data=data)) == (0, b"", b"")


def test_the_command_imports_next_to_nothing() -> None:
    """It starts before and after every call: no engine, no OpenTelemetry, and none of the slow parts of the library."""
    program = "import sys; from otel_loopwatch.cli import main; main(['hook', 'codex']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], input=b"{}", env=CLEAN, capture_output=True, check=True)
    heavy = {"opentelemetry", "msgspec", "dataclasses", "inspect", "ssl", "http.client", "email", "asyncio", "urllib"}
    assert heavy & set(done.stdout.decode().split()) == set()
