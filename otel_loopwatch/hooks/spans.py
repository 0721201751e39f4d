"""What a hook tells the gateway: a finished call, or the end of an agent, as a span in OTLP/JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from otel_loopwatch.hooks.event import Event, Moment
from otel_loopwatch.hooks.transcript import began_ns
from otel_loopwatch.ids import SPAN_ID_BYTES, digest

SCOPE = "otel_loopwatch.hooks"
NS_PER_MS = 1_000_000
INTERNAL, ERROR = 1, 2
"""Numbers of the span's kind and of its status in OTLP."""


def request(event: Event, tool: str, now_ns: int) -> bytes:
    """An export request that tells of the event; ``tool`` names the coding agent."""
    span = _agent(event, tool, now_ns) if event.moment is Moment.ENDED else _call(event, tool, now_ns)
    scope = {"scope": {"name": SCOPE}, "spans": [span]}
    resource = {"attributes": _attributes({"service.name": tool})}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}).encode()


def _call(event: Event, tool: str, now_ns: int) -> dict[str, object]:
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": event.tool,
        "gen_ai.tool.call.id": event.call_id,
        "gen_ai.tool.call.arguments": _json(event.arguments),
        "gen_ai.tool.call.result": event.result if isinstance(event.result, str) else _json(event.result),
        "error.type": "tool_error" if event.moment is Moment.FAILED else None,
    }
    own = digest(f"{event.session} {event.agent_id} {event.call_id or now_ns}", SPAN_ID_BYTES)
    return {
        **_span(event, f"execute_tool {event.tool}", now_ns - event.duration_ms * NS_PER_MS, now_ns),
        "spanId": f"{own:016x}",
        "parentSpanId": event.span_id,
        "attributes": _attributes({**told, **_whose(event, tool)}),
        **({"status": {"code": ERROR, "message": event.error}} if event.moment is Moment.FAILED else {}),
    }


def _agent(event: Event, tool: str, now_ns: int) -> dict[str, object]:
    began = began_ns(event.transcript)
    start_ns = now_ns if began is None or began > now_ns else began
    return {
        **_span(event, f"invoke_agent {event.agent_type or tool}", start_ns, now_ns),
        "spanId": event.span_id,
        "attributes": _attributes({"gen_ai.operation.name": "invoke_agent", **_whose(event, tool)}),
    }


def _span(event: Event, name: str, start_ns: int, end_ns: int) -> dict[str, object]:
    times = {"startTimeUnixNano": str(max(0, start_ns)), "endTimeUnixNano": str(end_ns)}
    return {"traceId": event.trace_id, "name": name, "kind": INTERNAL, **times}


def _whose(event: Event, tool: str) -> dict[str, str]:
    return {
        "gen_ai.agent.name": event.agent_type or tool,
        "gen_ai.agent.id": event.agent_id,
        "gen_ai.conversation.id": event.agent_id or event.session,
        "session.id": event.session,
    }


def _attributes(told: Mapping[str, str | None]) -> list[dict[str, object]]:
    """Those that say something; an empty result does, an empty id does not."""
    kept = {key: value for key, value in told.items() if value or (value == "" and key.endswith(".result"))}
    return [{"key": key, "value": {"stringValue": value}} for key, value in kept.items()]


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
