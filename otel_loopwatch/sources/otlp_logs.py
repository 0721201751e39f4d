"""OTLP/JSON log records: the events with which agents and model clients tell of calls when they make no spans.

- ``gen_ai.client.inference.operation.details`` holds what the span of a request would hold;
- ``gen_ai.*.message`` and ``gen_ai.choice`` are the messages of a request, one by one, and its answer;
- coding agents (Codex, Claude Code, Gemini CLI) write one event per finished tool call.

Each becomes the span that it stands for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from otel_loopwatch.dialects.dialect import OPERATION
from otel_loopwatch.dialects.values import first
from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES, digest
from otel_loopwatch.sources import chat, otlp
from otel_loopwatch.sources.cases import NS_PER_MS
from otel_loopwatch.sources.flat import attributes as attributes_of
from otel_loopwatch.sources.formats import SpanFormat
from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.sources.scalars import identity, mapping, nanoseconds, text
from otel_loopwatch.spans import SpanData

KEYS = ("resourceLogs", "resource_logs")
DETAILS = "gen_ai.client.inference.operation.details"
CHOICE = "gen_ai.choice"
_MESSAGE, _OF_MESSAGE = "gen_ai.", ".message"
TOOL_EVENTS = ("codex.tool_result", "claude_code.tool_result", "gemini_cli.tool_call")
MAX_REQUESTS = 1000
"""Requests whose answer has not come, remembered at a time."""


class LogEvent(NamedTuple):
    """A log record, decoded."""

    name: str
    trace_id: int
    span_id: int
    time_ns: int
    attributes: Mapping[str, Any]
    body: Any
    scope: str
    service: str = ""

    @classmethod
    def of(cls, name: str, attributes: Mapping[str, Any], body: Any, **where: Any) -> LogEvent:
        """The event of a record: its name may stand in its own field, in an attribute, or be the body."""
        name = name or text(attributes.get("event.name"))
        if isinstance(body, str) and body.endswith(f".{name}"):
            name = body
        return cls(name=name, attributes=attributes, body=body, **where)


def _recognises(record: Record) -> bool:
    return any(isinstance(record.get(key), list) for key in KEYS)


def _read(records: Records) -> Iterator[SpanData]:
    requests = Requests()
    for line, record in records:
        if not _recognises(record):
            records.skip(line, "not a document of log records")
        for found in _events(record):
            span = requests.span(found) if found is not None else None
            if found is None:
                records.skip(line, "not a log record")
            elif span is None:
                records.pass_over("log records")
            else:
                yield span


def _events(record: Record) -> Iterator[LogEvent | None]:
    for service, scope, found in otlp.items(record, KEYS, ("scopeLogs", "scope_logs"), ("logRecords", "log_records")):
        yield _event(found, scope, service) if isinstance(found, Mapping) else None


def _event(found: Record, scope: str, service: str) -> LogEvent:
    return LogEvent.of(
        text(first(found, "eventName", "event_name")),
        attributes_of(found.get("attributes")),
        otlp.any_value(found.get("body")),
        trace_id=identity(found.get("traceId"), TRACE_ID_BYTES),
        span_id=identity(found.get("spanId"), SPAN_ID_BYTES),
        time_ns=nanoseconds(found.get("timeUnixNano")) or nanoseconds(found.get("observedTimeUnixNano")),
        scope=scope,
        service=service,
    )


class Requests:
    """Log records one by one, as the spans they stand for.

    Messages of requests that have not been answered yet are remembered, by the span they were written in.
    """

    def __init__(self) -> None:
        self._messages: OrderedDict[int, list[Mapping[str, Any]]] = OrderedDict()
        self._count = 0

    def span(self, event: LogEvent) -> SpanData | None:
        """The span that a record stands for, or completes; ``None`` where it is none of a call or a request."""
        if event.name == DETAILS:
            return self._numbered(event, event.attributes)
        if event.name == CHOICE:
            return self._answered(event)
        if event.name.startswith(_MESSAGE) and event.name.endswith(_OF_MESSAGE):
            self._said(event)
            return None
        return self._tool(event) if event.name in TOOL_EVENTS else None

    def _said(self, event: LogEvent) -> None:
        """One message of a request."""
        role = event.name[len(_MESSAGE) : -len(_OF_MESSAGE)]
        self._messages.setdefault(event.span_id, []).append({"role": role, **mapping(event.body)})
        if len(self._messages) > MAX_REQUESTS:
            self._messages.popitem(last=False)

    def _answered(self, event: LogEvent) -> SpanData:
        """The request as a span: its messages, and the answer."""
        body = mapping(event.body)
        answer = {"role": "assistant", **mapping(body.get("message"))}
        if "tool_calls" in body:
            answer["tool_calls"] = body["tool_calls"]
        return self._numbered(
            event,
            {
                **event.attributes,
                OPERATION: "chat",
                "gen_ai.input.messages": chat.conventional(self._messages.pop(event.span_id, [])),
                "gen_ai.output.messages": chat.conventional(answer),
            },
        )

    def _tool(self, event: LogEvent) -> SpanData:
        """A finished call. Its parent, which nothing was written of, is the conversation."""
        given = event.attributes
        conversation = _conversation(given)
        attributes = {
            OPERATION: "execute_tool",
            "gen_ai.tool.name": first(given, "tool_name", "function_name"),
            "gen_ai.tool.call.id": first(given, "call_id", "tool_use_id"),
            "gen_ai.tool.call.arguments": first(given, "arguments", "tool_input", "function_args", "tool_parameters"),
            "gen_ai.tool.call.result": first(given, "output", "tool_result"),
            "gen_ai.conversation.id": conversation or None,
            "error.type": given.get("error_type"),
        }
        return self._numbered(
            event,
            {key: value for key, value in attributes.items() if value is not None},
            parent_id=digest(conversation or event.scope, SPAN_ID_BYTES),
            took_ns=_milliseconds(given.get("duration_ms")) * NS_PER_MS,
        )

    def _numbered(
        self, event: LogEvent, attributes: Mapping[str, Any], *, parent_id: int = 0, took_ns: int = 0
    ) -> SpanData:
        """A span for the event; one that was written outside of any gets a number and its conversation's trace."""
        return SpanData(
            trace_id=event.trace_id or digest(_conversation(event.attributes) or event.scope, TRACE_ID_BYTES),
            span_id=event.span_id if event.span_id and not parent_id else self._number(event),
            parent_id=parent_id,
            name=event.name,
            scope=event.scope,
            attributes=attributes,
            failed=_failed(event.attributes),
            status_message=text(event.attributes.get("error")),
            start_ns=max(0, event.time_ns - took_ns),
            end_ns=event.time_ns,
            service=event.service,
        )

    def _number(self, event: LogEvent) -> int:
        """What the event says, digested: an event that is delivered twice is the same span. One without a time counts.

        Counted are those that may be equal and still not be the same.
        """
        if event.time_ns:
            return digest(repr((event.name, event.time_ns, event.attributes, event.body)), SPAN_ID_BYTES)
        self._count += 1
        return self._count


def _conversation(attributes: Mapping[str, Any]) -> str:
    """A sub-agent of Claude Code has an id of its own beside its session's."""
    return text(first(attributes, "agent_id", "conversation.id", "session.id", "gen_ai.conversation.id"))


def _failed(attributes: Mapping[str, Any]) -> bool:
    return attributes.get("success") in (False, "false")


def _milliseconds(value: object) -> int:
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        return int(value)
    return int(value) if isinstance(value, (int, float)) and 0 <= value < 1 << 40 else 0


FORMAT = SpanFormat(
    name="OTLP/JSON log records",
    written_by="the collector's `file` exporter: events of Codex, Claude Code, Gemini CLI and the GenAI conventions",
    looks="an object with `resourceLogs`",
    recognises=_recognises,
    read=_read,
)
