"""Langfuse: "Download JSON" of a trace or session, and observations as its API, tables and storage exports give them.

What an observation is called there is not what it is: some frameworks' tools come as ``SPAN``, and what they are stands
in ``metadata.attributes``, the attributes of the span it was made from; LangGraph's tools have not even those, but run
below a node called ``tools``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch import dialects
from otel_loopwatch.dialects import Role
from otel_loopwatch.dialects.langfuse import TYPE
from otel_loopwatch.dialects.values import first
from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.sources import chat
from otel_loopwatch.sources.formats import SpanFormat, record_by_record
from otel_loopwatch.sources.records import Record
from otel_loopwatch.sources.scalars import from_json, identity, mapping, nanoseconds, objects, text
from otel_loopwatch.spans import SpanData

TYPES = {
    "SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL",
}  # fmt: skip
TOOLS_NODE = "tools"
TOOL_NAME = "gen_ai.tool.name"
_PLUMBING = ("ChannelWrite", "ChannelRead", "Branch", "Runnable", "_", "should_continue", "tools_condition")
"""How the names of LangGraph's own steps begin."""
_PREFIXES = ("running tool: ", "execute_tool ", "tool.")
_AGENT_RUN = " run"
"""Langfuse shows Logfire's message for a span's name; of an agent, that is its name and this."""
_FIELDS = {
    "langfuse.observation.input": ("input",),
    "langfuse.observation.output": ("output",),
    "langfuse.observation.level": ("level",),
    "langfuse.observation.usage_details": ("usageDetails", "usage_details"),
}


def _is_observation(row: object) -> bool:
    return (
        isinstance(row, Mapping)
        and isinstance(row.get("id"), str)
        and isinstance(first(row, "traceId", "trace_id"), str)
        and isinstance(row.get("type"), str)
        and row["type"].upper() in TYPES
    )


def _traces(record: Record) -> list[Mapping[str, Any]]:
    """The traces of a record: a session's, its only one, or the rows of an answer."""
    if isinstance(record.get("traces"), list):
        return objects(record["traces"])
    return [{"observations": record["data"]}] if isinstance(record.get("data"), list) else [record]


def _rows(trace: Record) -> list[Any]:
    """A trace's observations. A download repeats them in ``trace``, without input and output."""
    if _is_observation(trace):
        return [trace]
    rows = trace.get("observations") or mapping(trace.get("trace")).get("observations")
    return rows if isinstance(rows, list) else []


def _recognises(record: Record) -> bool:
    if isinstance(record.get("trace"), Mapping) and isinstance(record.get("observations"), list):
        return True
    return any(_is_observation(row) for trace in _traces(record)[:1] for row in _rows(trace)[:1])


def _spans(record: Record) -> Iterator[SpanData | None]:
    for trace in _traces(record):
        rows, of = _rows(trace), mapping(trace.get("trace")) or trace
        names = {row["id"]: text(row.get("name")) for row in rows if _is_observation(row)}
        for row in rows:
            yield _span(row, names, of) if _is_observation(row) else None


def _span(row: Record, names: Mapping[str, str], trace: Record) -> SpanData:
    metadata = mapping(row.get("metadata"))
    captured = mapping(metadata.get("attributes"))
    parent_id = first(row, "parentObservationId", "parent_observation_id")
    start_ns = nanoseconds(first(row, "startTime", "start_time"))
    span = SpanData(
        trace_id=identity(first(row, "traceId", "trace_id"), TRACE_ID_BYTES),
        span_id=identity(row["id"], SPAN_ID_BYTES),
        parent_id=identity(parent_id, SPAN_ID_BYTES),
        name=text(row.get("name")),
        scope=text(mapping(metadata.get("scope")).get("name")) or "langfuse",
        attributes=captured,
        failed=row.get("level") == "ERROR",
        status_message=text(first(row, "statusMessage", "status_message")),
        start_ns=start_ns,
        end_ns=nanoseconds(first(row, "endTime", "end_time")) or start_ns,
        service=text(mapping(metadata.get("resourceAttributes")).get("service.name")),
    )
    above = names.get(text(parent_id), text(metadata.get("langgraph_node")))
    role = Role.TOOL if _runs_in_tools_node(row, above) else _role(row, span)
    return span._replace(name=_name(span, role), attributes=_attributes(row, span, role, trace))


def _runs_in_tools_node(row: Record, above: str) -> bool:
    """Whether this is one of LangGraph's tools, rather than the plumbing around them."""
    name = text(row.get("name"))
    return row["type"].upper() == "SPAN" and above == TOOLS_NODE != name and not name.startswith(_PLUMBING)


def _role(row: Record, span: SpanData) -> Role:
    """By the type where it says something, else by the span's own attributes."""
    by_type = {"TOOL": Role.TOOL, "AGENT": Role.AGENT, "GENERATION": Role.MODEL}.get(row["type"].upper())
    if by_type is not None:
        return by_type
    if span.name == f"{dialects.read_agent(span).name}{_AGENT_RUN}":
        return Role.AGENT
    return Role.TOOL if TOOL_NAME in span.attributes else dialects.role(span)


def _name(span: SpanData, role: Role) -> str:
    """Of a tool, its own name: Langfuse's dialect has no other place for it."""
    if role is not Role.TOOL:
        return span.name
    captured = span.attributes.get(TOOL_NAME, span.attributes.get("tool.name"))
    if isinstance(captured, str) and captured:
        return captured
    prefix = next((prefix for prefix in _PREFIXES if span.name.startswith(prefix)), "")
    return span.name.removeprefix(prefix) or span.name


_KINDS = {Role.TOOL: "tool", Role.AGENT: "agent", Role.MODEL: "generation"}


def _attributes(row: Record, span: SpanData, role: Role, trace: Record) -> dict[str, Any]:
    """What Langfuse's own dialect reads. Its content is complete; the captured attributes may have lost theirs."""
    found: dict[str, Any] = {TYPE: _KINDS.get(role, "span")}
    for attribute, keys in _FIELDS.items():
        found[attribute] = from_json(first(row, *keys), '"')
    found["langfuse.observation.input"] = _unwrapped(found["langfuse.observation.input"])
    found["session.id"] = first(row, "sessionId", "session_id") or first(trace, "sessionId", "session_id")
    found["user.id"] = first(row, "userId", "user_id") or first(trace, "userId", "user_id")
    found["gen_ai.agent.name"] = dialects.read_agent(span).name
    found.update(_content(span, role, found))
    if role is Role.MODEL:
        found["gen_ai.input.messages"] = chat.conventional(_messages(found["langfuse.observation.input"]))
        found["gen_ai.output.messages"] = chat.conventional(
            chat.of_response(found["langfuse.observation.output"]) or from_json(found["langfuse.observation.output"])
        )
    return {key: value for key, value in found.items() if value is not None}


def _unwrapped(given: object) -> object:
    """Arguments out of the ``{"input": {..}}`` that LangSmith puts around them."""
    inner = mapping(given)
    return inner["input"] if inner.keys() == {"input"} and isinstance(inner["input"], Mapping) else given


def _content(span: SpanData, role: Role, found: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments and result from the captured attributes, where the observation has none."""
    if role is not Role.TOOL or found["langfuse.observation.input"] is not None:
        return {}
    call = dialects.read_call(span)
    return {} if call is None else {"langfuse.observation.input": call.arguments}


def _messages(given: object) -> object:
    given = from_json(given)
    return first(given, "messages", "input") if isinstance(given, Mapping) and "role" not in given else given


FORMAT = SpanFormat(
    name="Langfuse JSON",
    written_by='Langfuse\'s "Download JSON", `/api/public/v2/observations`, table and storage exports as JSON or JSONL',
    looks="an object with `trace` and `observations`, or observations with `id`, `traceId` and `type`",
    recognises=_recognises,
    read=record_by_record(_recognises, _spans, "a trace or an observation"),
)
