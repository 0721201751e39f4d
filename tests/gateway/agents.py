"""An agent's spans as requests of OTLP, and everything between the store and the forwarder without either."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from otel_loopwatch.config import load
from otel_loopwatch.control.hook import ControlHook, resolve_hook
from otel_loopwatch.digests import Digests
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.clocks import Clocks
from otel_loopwatch.gateway.judging import Judging
from otel_loopwatch.gateway.marking import marked
from otel_loopwatch.gateway.reaction import Reaction
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.otlp.values import attributes, write_pairs
from otel_loopwatch.stream import Arrivals, StreamWatch
from otel_loopwatch.telemetry.metrics import metrics_for

SECOND = 10**9
NOW = 1_780_000_000 * SECOND
TRACE, OTHER_TRACE = 0x0AF7651916CD43DD8448EB211C80319C, 0xBB
AGENT_SPAN = 1
RUN = f"{TRACE:032x}"


def tool(number: int, *, trace: int = TRACE, ask: str = "kettles", base: int = 100) -> Span:
    """The next call of an agent, the same question and answer each time; ids of spans are from ``base`` on."""
    given = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.arguments": json.dumps({"q": ask}),
        "gen_ai.tool.call.result": f"{ask.capitalize()} are sold in three colours.",
    }
    return _span(trace, base + number, AGENT_SPAN, "execute_tool search", given, number)


def agent(calls: int, *, trace: int = TRACE) -> Span:
    """The agent around them, told last."""
    given = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
    return _span(trace, AGENT_SPAN, 0, "invoke_agent helper", given, 0, calls + 1)


def plain(number: int, *, trace: int = OTHER_TRACE) -> Span:
    """A span of no agent."""
    return _span(trace, 500 + number, 0, "GET /", {"http.route": "/"}, number)


def _span(
    trace: int, span_id: int, parent: int, name: str, given: dict[str, Any], at: int, end: int | None = None
) -> Span:
    span = Span(trace_id=trace.to_bytes(16, "big"), span_id=span_id.to_bytes(8, "big"), name=name)
    span.parent_span_id = parent.to_bytes(8, "big") if parent else b""
    span.start_time_unix_nano = NOW + at * SECOND
    span.end_time_unix_nano = NOW + (end * SECOND if end is not None else at * SECOND + SECOND // 2)
    write_pairs(span.attributes, given)
    return span


def traces(*spans: Span) -> Request:
    """A request with these spans."""
    made = ExportTraceServiceRequest()
    of_resource = made.resource_spans.add()
    write_pairs(of_resource.resource.attributes, {"service.name": "shop"})
    of_resource.scope_spans.add().spans.extend(spans)
    return Request(Signal.TRACES, made.SerializeToString())


def codex(number: int) -> Request:
    """The event with which Codex tells of a call."""
    made = ExportLogsServiceRequest()
    record = made.resource_logs.add().scope_logs.add().log_records.add()
    record.time_unix_nano = NOW + number * SECOND
    given = {
        "event.name": "codex.tool_result",
        "conversation.id": "talk",
        "tool_name": "shell",
        "call_id": f"c{number}",
        "arguments": '{"command": ["ls"]}',
        "output": "kettle.txt and teapot.txt are the only files here",
        "success": "true",
    }
    write_pairs(record.attributes, given)
    return Request(Signal.LOGS, made.SerializeToString())


@dataclass(slots=True)
class Bench:
    """What judges requests; what it passes on and tells is kept here."""

    judging: Judging
    board: Board
    reaction: Reaction
    reader: InMemoryMetricReader
    offered: list[tuple[int, bytes]] = field(default_factory=list)
    emitted: list[Request] = field(default_factory=list)
    requests: dict[int, Request] = field(default_factory=dict)
    now: int = 0

    def take(self, *requests: Request) -> None:
        """Keep requests, and have them judged when they have waited."""
        for request in requests:
            position = len(self.requests) + 1
            self.requests[position] = request
            self.judging.take(position, request, self.now)
        self.tick()

    def tick(self, ns: int = SECOND) -> None:
        """Time passes."""
        self.now += ns
        self.judging.tick(self.now)

    @property
    def positions(self) -> list[int]:
        """What went on, in order."""
        return [position for position, _ in self.offered]

    def spans(self) -> dict[int, Span]:
        """The spans that went on, by id, as they go on."""
        bodies = [
            marked(self.requests[position].body, marks) if marks else self.requests[position].body
            for position, marks in self.offered
            if self.requests[position].signal is Signal.TRACES
        ]
        requests = map(ExportTraceServiceRequest.FromString, bodies)
        return {
            int.from_bytes(span.span_id, "big"): span
            for request in requests
            for of_resource in request.resource_spans
            for span in of_resource.scope_spans[0].spans
        }

    def marks(self, span_id: int, what: str) -> Any:
        """A mark of a span; None where it has none."""
        return attributes(self.spans()[span_id].attributes).get(f"loopwatch.{what}")

    def marks_of(self, span_ids: Sequence[int], what: str) -> list[Any]:
        """The marks of several."""
        return [self.marks(span_id, what) for span_id in span_ids]

    def records(self) -> list[LogRecord]:
        """The log records that were emitted."""
        requests = (ExportLogsServiceRequest.FromString(request.body) for request in self.emitted)
        return [record for each in requests for record in each.resource_logs[0].scope_logs[0].log_records]

    def counts(self, metric: str) -> dict[tuple[str, ...], float]:
        """Values of a counter by the values of its labels, zeros left out."""
        data = self.reader.get_metrics_data()
        metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics] if data else []
        points: list[Any] = [point for m in metrics if m.name == metric for point in m.data.data_points]
        return {
            tuple(str(value) for _, value in sorted((point.attributes or {}).items())): point.value
            for point in points
            if point.value
        }


def bench(
    hook: ControlHook | str = "observe", window_ns: int = 1, emit: Callable[[Request], None] | None = None
) -> Bench:
    """One with nothing judged yet."""
    reader = InMemoryMetricReader()
    metrics = metrics_for(MeterProvider([reader], shutdown_on_exit=False))
    metrics.know_tools(10)
    board = Board(clock=lambda: NOW)
    emitted: list[Request] = []
    reaction = Reaction(resolve_hook(hook), metrics, board, Digests(), emit or emitted.append)
    watch = StreamWatch(load(env={}), on_evicted=lambda reason, run: reaction.forget(run.run))
    offered: list[tuple[int, bytes]] = []
    clocks = Clocks(900 * SECOND, clock=lambda: NOW)
    judging = Judging(
        watch, Arrivals(window_ns), clocks, reaction, lambda position, marks: offered.append((position, marks))
    )
    return Bench(judging, board, reaction, reader, offered, emitted)
