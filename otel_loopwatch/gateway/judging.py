"""Kept requests, judged in their order: each goes on when its spans have been, with what is to be written on them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.gateway.clocks import Clocks
from otel_loopwatch.gateway.marking import Marks, packed
from otel_loopwatch.gateway.reaction import Page, Reaction
from otel_loopwatch.gateway.resent import Known, Resent
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.otlp import decode
from otel_loopwatch.otlp.mattering import mattering
from otel_loopwatch.sources.otlp_logs import Requests
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream import Arrivals, MarkedSpan, Portion, Seen, StreamWatch
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

NOWHERE = -1
"""Position of a request that is none."""
DUPLICATE = "duplicate"
"""Why a span is not judged: its request came before."""
UNREADABLE = "unreadable"
"""Why a request is not judged: it cannot be read, or not be decoded."""
MAX_HELD_BYTES = 64 << 20
"""Bodies whose spans are held at a time; beyond it all of them are judged at once."""


def never() -> bool:
    """There is time."""
    return False


class Waiting:
    """A request of which spans are held."""

    __slots__ = ("begun", "known", "marks", "size", "traces", "writable")

    def __init__(self, request: Request, traces: set[int], known: Known) -> None:
        self.known = known
        self.traces = traces
        """Those that are not judged."""
        self.begun = False
        """Some are."""
        self.size = len(request.body)
        self.writable = request.signal is Signal.TRACES
        """Spans that log records stand for cannot be written onto."""
        self.marks: Marks = {}


class PortionPage:
    """The spans that are judged together, and the requests they came in."""

    def __init__(self, portion: Portion, waiting: Mapping[int, Waiting]) -> None:
        self.trace_id = portion.spans[0].trace_id
        self._spans = {
            span.span_id: (span, source) for span, source in zip(portion.spans, portion.sources, strict=True)
        }
        self._waiting = waiting

    def span(self, trace_id: int, span_id: int) -> MarkedSpan | None:
        """What is to be written onto a span; None where it is not at hand."""
        span, source = self._spans.get(span_id, (None, NOWHERE))
        request = self._waiting.get(source)
        if span is None or request is None or not request.writable or trace_id != self.trace_id:
            return None
        return request.marks.setdefault((trace_id, span_id), MarkedSpan(span.end_ns))

    def service(self, span_id: int) -> str:
        """Name of the service a span came from; empty where that is not known."""
        span, _ = self._spans.get(span_id, (None, NOWHERE))
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

    def __call__(self, position: int, marks: bytes) -> None:
        """The request at a position of the store goes on, with packed marks."""


class Judging:
    """Judges requests; one thread uses it. Whatever a request holds, it goes on.

    ``offer`` is called for each position once, not always in their order. Times are ns that never go back, from any
    beginning. ``skipped``: what was not judged, by reason.
    """

    def __init__(
        self, watch: StreamWatch, arrivals: Arrivals, clocks: Clocks, reaction: Reaction, offer: Offer
    ) -> None:
        self._watch = watch
        self._arrivals = arrivals
        self._clocks = clocks
        self._reaction = reaction
        self._offer = offer
        self._waiting: dict[int, Waiting] = {}
        self._held_bytes = 0
        self._newest = Newest()
        self._resent = Resent()
        self._open_requests = Requests()
        self._failures: set[str] = set()
        self.skipped: Counter[str] = Counter({DUPLICATE: 0, UNREADABLE: 0})

    def take(self, position: int, request: Request, now_ns: int) -> None:
        """The next request that is kept, at its position of the store."""
        before = self._resent.before(request.body)
        if before is None:
            self._come(position, request, now_ns)
        else:
            self._come_again(position, before)
        if self._held_bytes > MAX_HELD_BYTES:
            self.drain()

    def pass_on(self, position: int) -> None:
        """A request that cannot be judged goes on as it came."""
        self.skipped[UNREADABLE] += 1
        self._offer(position, b"")

    def tick(self, now_ns: int, enough: Callable[[], bool] = never) -> None:
        """Judge what was held for long enough, until somebody says that it is ``enough``."""
        self._judge(self._arrivals.due(now_ns), enough)

    def drain(self, enough: Callable[[], bool] = never) -> None:
        """Judge all that is held. What is left when it is ``enough`` does not go on: it is kept for another time."""
        self._judge(self._arrivals.rest(), enough)
        for position in [position for position, request in self._waiting.items() if request.begun]:
            self._go_on(position)  # its calls must not be counted twice

    def expire(self, now_ns: int) -> None:
        """Drop runs that nothing was heard of for long."""
        self._react(partial(self._watch.expire, self._newest.time(now_ns)), NoPage())

    @property
    def held(self) -> int:
        """Spans held."""
        return len(self._arrivals)

    def _come(self, position: int, request: Request, now_ns: int) -> None:
        known = self._resent.remember(request.body)
        spans = self._clocks.set_right(self._read(request))
        known.spans = len(spans)
        traces = self._arrivals.add(spans, position, now_ns)
        self._newest.see(spans, now_ns)
        if traces:
            self._waiting[position] = Waiting(request, traces, known)
            self._held_bytes += len(request.body)
        else:
            known.marks = b""
            self._offer(position, b"")

    def _come_again(self, position: int, before: Known) -> None:
        """With the marks that it had, or will have."""
        self.skipped[DUPLICATE] += before.spans
        if before.marks is None:
            before.again.append(position)
        else:
            self._offer(position, before.marks)

    def _read(self, request: Request) -> Sequence[SpanData]:
        try:
            if request.signal is Signal.TRACES:
                return self._spans(ExportTraceServiceRequest.FromString(request.body))
            if request.signal is Signal.LOGS:
                return list(decode.log_spans(ExportLogsServiceRequest.FromString(request.body), self._open_requests))
        except Exception as error:  # noqa: BLE001 - DecodeError, and whatever clients may think of
            self._failed(error)
            self.skipped[UNREADABLE] += 1
        return ()

    def _spans(self, request: ExportTraceServiceRequest) -> list[SpanData]:
        return list(decode.spans(request, self.skipped, of=mattering(request, self._follows)))

    def _follows(self, trace_id: int) -> bool:
        return self._watch.follows(trace_id) or self._arrivals.holds(trace_id)

    def _judge(self, portions: Iterable[Portion], enough: Callable[[], bool]) -> None:
        for portion in portions:
            page = PortionPage(portion, self._waiting)
            self._react(partial(self._watch.take, portion.spans), page)
            for position in dict.fromkeys(portion.sources):
                self._judged(position, page.trace_id)
            if enough():
                return

    def _react(self, steps: Callable[[], Iterable[Seen]], page: Page) -> None:
        try:
            for seen in steps():
                self._answer(seen, page)
        except Exception as error:  # noqa: BLE001 - the spans go on whatever becomes of their judgement
            self._failed(error)

    def _answer(self, seen: Seen, page: Page) -> None:
        try:
            self._reaction.to(seen, page)
        except Exception as error:  # noqa: BLE001 - the steps after it are to be judged, too
            self._failed(error)

    def _judged(self, position: int, trace_id: int) -> None:
        request = self._waiting.get(position)
        if request is None:
            return
        request.begun = True
        request.traces.discard(trace_id)
        if not request.traces:
            self._go_on(position)

    def _go_on(self, position: int) -> None:
        request = self._waiting.pop(position)
        self._held_bytes -= request.size
        known = request.known
        known.marks = self._packed(request.marks)
        for each in (position, *known.again):
            self._offer(each, known.marks)
        known.again.clear()

    def _packed(self, marks: Marks) -> bytes:
        try:
            return packed(marks)
        except Exception as error:  # noqa: BLE001 - a request without marks is better than none
            self._failed(error)
            return b""

    def _failed(self, error: Exception) -> None:
        reason = type(error).__qualname__
        self._reaction.failed(reason)
        if reason not in self._failures:
            self._failures.add(reason)
            log.warning(
                "Loopwatch failed with %s; further errors of this kind are only counted", reason, exc_info=error
            )


class Newest:
    """The time as spans tell it, which may be of last week; while none comes it goes on as clocks do."""

    def __init__(self) -> None:
        self._end_ns = 0
        self._at_ns = 0

    def see(self, spans: Iterable[SpanData], now_ns: int) -> None:
        """Spans came."""
        end_ns = max((span.end_ns for span in spans), default=0)
        if end_ns > self.time(now_ns):
            self._end_ns, self._at_ns = end_ns, now_ns

    def time(self, now_ns: int) -> int:
        """About the time of what is being done now; 0 while no span came."""
        return self._end_ns and self._end_ns + now_ns - self._at_ns
