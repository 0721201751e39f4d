"""Kept requests, judged in their order: each goes on when its spans have been, with what is to be written on them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.gateway.reaction import Reaction
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.otlp import decode
from otel_loopwatch.sources.otlp_logs import Requests
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream import Arrivals, MarkedSpan, Portion, Seen, StreamWatch
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

Marks = dict[tuple[int, int], MarkedSpan]
"""By trace id and span id."""
OF_LOGS = -1
"""Position of spans that no request holds: what log records stand for cannot be written onto."""


class Waiting:
    """A request of which spans are held."""

    __slots__ = ("marks", "traces")

    def __init__(self, traces: set[int]) -> None:
        self.traces = traces
        self.marks: Marks = {}


class PortionPage:
    """The spans that are judged together, and the requests they came in."""

    def __init__(self, portion: Portion, waiting: Mapping[int, Waiting]) -> None:
        self.trace_id = portion.spans[0].trace_id
        self._spans = {
            span.span_id: place for place in zip(portion.spans, portion.sources, strict=True) for span in place[:1]
        }
        self._waiting = waiting

    def span(self, trace_id: int, span_id: int) -> MarkedSpan | None:
        """What is to be written onto a span; None where it is not at hand."""
        span, source = self._spans.get(span_id, (None, OF_LOGS))
        request = self._waiting.get(source)
        if span is None or request is None or trace_id != self.trace_id:
            return None
        return request.marks.setdefault((trace_id, span_id), MarkedSpan(span.end_ns))

    def service(self, span_id: int) -> str:
        """Name of the service a span came from; empty where that is not known."""
        span, _ = self._spans.get(span_id, (None, OF_LOGS))
        return span.service if span is not None else ""


class NoPage:
    """No span is at hand: something ended for want of spans."""

    trace_id = 0

    def span(self, trace_id: int, span_id: int) -> None:
        """None."""

    def service(self, span_id: int) -> str:
        """Empty."""
        return ""


class Offer(Protocol):
    """Where judged requests go on."""

    def __call__(self, position: int, marks: Marks) -> None:
        """The request at a position of the store goes on, with marks."""


class Judging:
    """Judges requests; one thread uses it. Whatever a request holds, it goes on.

    ``offer`` is called for each position once, not always in their order. ``counts``: what was not judged, by reason.
    """

    def __init__(self, watch: StreamWatch, arrivals: Arrivals, reaction: Reaction, offer: Offer) -> None:
        self._watch = watch
        self._arrivals = arrivals
        self._reaction = reaction
        self._offer = offer
        self._waiting: dict[int, Waiting] = {}
        self._open_requests = Requests()
        self.counts: Counter[str] = Counter()

    def take(self, position: int, request: Request, now_ns: int) -> None:
        """The next request that is kept, at its position of the store."""
        traces: set[int] = set()
        if request.signal is Signal.TRACES:
            traces = self._hold(lambda: self._spans(request.body), position, now_ns)
        elif request.signal is Signal.LOGS:
            self._hold(lambda: self._log_spans(request.body), OF_LOGS, now_ns)
        if traces:
            self._waiting[position] = Waiting(traces)
        else:
            self._offer(position, {})

    def pass_on(self, position: int) -> None:
        """A request that cannot be judged goes on as it came."""
        self.counts["unreadable"] += 1
        self._offer(position, {})

    def tick(self, now_ns: int) -> None:
        """Judge what was held for long enough."""
        self._judge(self._arrivals.due(now_ns))

    def drain(self) -> None:
        """Judge all that is held: nothing more comes."""
        self._judge(self._arrivals.rest())

    def expire(self, now_ns: int) -> None:
        """Drop runs that nothing was heard of for long."""
        self._react(self._watch.expire(now_ns), NoPage())

    @property
    def held(self) -> int:
        """Spans held."""
        return len(self._arrivals)

    def _hold(self, read: Callable[[], Iterable[SpanData]], position: int, now_ns: int) -> set[int]:
        try:
            return self._arrivals.add(read(), position, now_ns)
        except (DecodeError, ValueError, TypeError, RecursionError) as error:
            self._failed("unreadable", error)
            return set()

    def _spans(self, body: bytes) -> Iterable[SpanData]:
        return decode.spans(ExportTraceServiceRequest.FromString(body), self.counts)

    def _log_spans(self, body: bytes) -> Iterable[SpanData]:
        return decode.log_spans(ExportLogsServiceRequest.FromString(body), self._open_requests)

    def _judge(self, portions: Iterable[Portion]) -> None:
        for portion in portions:
            page = PortionPage(portion, self._waiting)
            self._react(self._watch.take(portion.spans), page)
            for position in dict.fromkeys(portion.sources):
                self._judged(position, page.trace_id)

    def _react(self, steps: Iterable[Seen], page: PortionPage | NoPage) -> None:
        try:
            for seen in steps:
                self._reaction.to(seen, page)
        except Exception as error:  # noqa: BLE001 - the spans go on whatever becomes of their judgement
            self._failed(type(error).__qualname__, error)

    def _judged(self, position: int, trace_id: int) -> None:
        request = self._waiting.get(position)
        if request is None:
            return
        request.traces.discard(trace_id)
        if not request.traces:
            del self._waiting[position]
            self._offer(position, request.marks)

    def _failed(self, reason: str, error: Exception) -> None:
        if not self.counts[reason]:
            log.warning(
                "Loopwatch failed with %s; further errors of this kind are only counted", reason, exc_info=error
            )
        self.counts[reason] += 1
