"""One event of a coding agent's hooks. Claude Code and Codex write the same JSON, but for what each leaves out.

Sources: code.claude.com/docs/en/hooks and developers.openai.com/codex/hooks; events of both were recorded.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import NamedTuple

from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES, digest


class Moment(Enum):
    """When in a session an event is told; its value is what has happened."""

    BEFORE = "a tool is about to be called"
    AFTER = "a call is over"
    FAILED = "a call is over, and failed"
    ENDED = "a session or a sub-agent is over"


MOMENTS = {
    "PreToolUse": Moment.BEFORE,
    "PostToolUse": Moment.AFTER,
    "PostToolUseFailure": Moment.FAILED,
    "SubagentStop": Moment.ENDED,
    "SessionEnd": Moment.ENDED,
}
"""By the tool's own name of the event. `Stop` is the end of an answer: the session goes on."""


class Event(NamedTuple):
    """What a hook is told."""

    moment: Moment
    session: str
    agent_id: str = ""
    """The sub-agent at work; empty for the session's own agent."""
    agent_type: str = ""
    tool: str = ""
    call_id: str = ""
    arguments: object = None
    result: object = None
    error: str = ""
    duration_ms: int = 0
    transcript: str = ""
    """Path of the file in which the tool keeps what was said."""

    @property
    def trace_id(self) -> str:
        """Trace of the agent's calls: the session's, as readers of the tool's own telemetry make it.

        A sub-agent's is its own. Its run is then a run of its own from the first call on, before the span that could
        tell it from its parent's has ended, and can be asked after by name.
        """
        return trace_of(self.agent_id or self.session)

    @property
    def traces(self) -> tuple[str, ...]:
        """Whose halt holds for this agent: its own trace, and the one of the session it works for."""
        own, whole = self.trace_id, trace_of(self.session)
        return (own,) if own == whole else (own, whole)

    @property
    def span_id(self) -> str:
        """Span of the agent: the parent of its calls."""
        return f"{digest(self.agent_id or self.session, SPAN_ID_BYTES):016x}"


def trace_of(conversation: str) -> str:
    """The trace of a conversation, as 32 hex digits."""
    return f"{digest(conversation, TRACE_ID_BYTES):032x}"


def read(data: bytes | bytearray) -> Event | None:
    """The event; ``None`` for one that tells of no call and no end, such as a call the user broke off.

    Raises ``ValueError`` for what no tool writes.
    """
    try:
        told = json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(told, dict):
        raise ValueError("not a JSON object")
    moment = MOMENTS.get(_text(told, "hook_event_name"))
    if moment is None or told.get("is_interrupt") is True:
        return None
    event = _event(moment, told)
    if not event.session or not (event.tool or moment is Moment.ENDED):
        raise ValueError("an event without session_id or tool_name")
    return event


def _event(moment: Moment, told: dict[str, object]) -> Event:
    duration = told.get("duration_ms")
    return Event(
        moment,
        session=_text(told, "session_id"),
        agent_id=_text(told, "agent_id"),
        agent_type=_text(told, "agent_type"),
        tool=_text(told, "tool_name"),
        call_id=_text(told, "tool_use_id"),
        arguments=told.get("tool_input"),
        result=told.get("tool_response"),
        error=_text(told, "error"),
        duration_ms=int(duration) if isinstance(duration, (int, float)) and 0 <= duration < 1 << 40 else 0,
        transcript=_text(told, "agent_transcript_path") or _text(told, "transcript_path"),
    )


def _text(told: dict[str, object], key: str) -> str:
    value = told.get(key)
    return value if isinstance(value, str) else ""
