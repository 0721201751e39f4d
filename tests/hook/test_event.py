"""What is read from the events of hooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hooked import TOOLS, recorded
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch import sources
from otel_loopwatch.hooks.event import MOMENTS, Event, Moment, read


def of(tool: str, event: str, **changed: Any) -> Event:
    """A recorded event, read."""
    found = read(json.dumps(recorded(tool, event, **changed)).encode())
    assert found is not None
    return found


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("event", "moment"),
    [
        ("pre_tool_use", Moment.BEFORE),
        ("post_tool_use", Moment.AFTER),
        ("subagent_pre_tool_use", Moment.BEFORE),
        ("subagent_stop", Moment.ENDED),
        ("session_end", Moment.ENDED),
    ],
)
def test_events_that_matter_are_told_apart(tool: str, event: str, moment: Moment) -> None:
    """Each by its name."""
    assert of(tool, event).moment is moment


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("event", ["session_start", "stop"])
def test_an_answer_or_a_beginning_is_nothing_to_tell(tool: str, event: str) -> None:
    """The session goes on after its agent has answered."""
    assert read(json.dumps(recorded(tool, event)).encode()) is None


def test_a_call_is_read_whole() -> None:
    """With what Claude Code alone tells: how long it took."""
    event = of("claude-code", "post_tool_use")
    assert (event.tool, event.call_id, event.duration_ms) == ("Bash", "toolu_1", 69)
    assert event.arguments == {"command": "echo hello", "description": "say hello"}
    assert isinstance(event.result, dict)
    assert event.result["stdout"] == "hello"


def test_a_failed_call_has_its_error() -> None:
    """Claude Code has an event for it."""
    event = of("claude-code", "post_tool_use_failure")
    assert event.moment is Moment.FAILED
    assert event.error.startswith("Exit code 1")


def test_a_call_the_user_broke_off_is_no_failure() -> None:
    """It says nothing about the agent."""
    assert read(json.dumps(recorded("claude-code", "post_tool_use_failure", is_interrupt=True)).encode()) is None


@pytest.mark.parametrize("tool", TOOLS)
def test_a_sub_agent_has_a_trace_of_its_own_and_is_halted_with_its_session(tool: str) -> None:
    """Its calls are asked for under both."""
    own, sub = of(tool, "pre_tool_use"), of(tool, "subagent_pre_tool_use")
    assert own.traces == (own.trace_id,)
    assert sub.traces == (sub.trace_id, own.trace_id)
    assert sub.span_id != own.span_id


@pytest.mark.parametrize(
    ("event", "attributes"),
    [
        (of("claude-code", "post_tool_use"), {"event.name": "claude_code.tool_result", "session.id": None}),
        (of("codex", "post_tool_use"), {"event.name": "codex.tool_result", "conversation.id": None}),
        (of("codex", "subagent_post_tool_use"), {"event.name": "codex.tool_result", "conversation.id": None}),
    ],
)
def test_the_run_is_the_one_that_the_tools_own_telemetry_tells(
    event: Event, attributes: dict[str, Any], tmp_path: Path
) -> None:
    """Codex names the thread of a sub-agent in its telemetry, as in its hooks."""
    told = {key: value or event.agent_id or event.session for key, value in attributes.items()} | {"tool_name": "Bash"}
    record = {"attributes": [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]}
    path = tmp_path / "logs.json"
    path.write_text(json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}))
    source = sources.read(path)
    assert isinstance(source, sources.SpansFile)
    (span,) = source
    assert (f"{span.trace_id:032x}", f"{span.parent_id:016x}") == (event.trace_id, event.span_id)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"{",
        b"[" * 100_000,
        b'{"hook_event_name": "PreToolUse"}',
        b'{"hook_event_name": "PreToolUse", "session_id": "s"}',
        b'{"hook_event_name": "SessionEnd"}',
    ],
)
def test_what_no_tool_writes_is_an_error(data: bytes) -> None:
    """One that whoever asked for it can be told."""
    with pytest.raises(ValueError, match=r"\w"):
        read(data)


FIELDS = st.sampled_from(
    "session_id agent_id agent_type tool_name tool_use_id tool_input tool_response error is_interrupt duration_ms "
    "transcript_path".split()
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(list(MOMENTS)), st.dictionaries(FIELDS, ANYTHING))
def test_fields_of_any_kind_are_read_or_refused(name: str, told: dict[str, Any]) -> None:
    """What is read has the types it promises."""
    try:
        event = read(json.dumps({**told, "hook_event_name": name}).encode())
    except ValueError:
        return
    if event is not None:
        texts = (event.session, event.agent_id, event.agent_type, event.tool, event.call_id, event.error)
        assert {type(value) for value in texts} == {str}
        assert type(event.duration_ms) is int
        assert [len(trace_id) for trace_id in event.traces] in ([32], [32, 32])
