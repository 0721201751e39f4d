"""Open spans of this process: seen as dialects see spans, found by id, and never kept alive by us."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any
from weakref import ref

from opentelemetry.sdk.trace import ReadableSpan, SpanLimits
from opentelemetry.sdk.trace import Span as WritableSpan
from opentelemetry.trace import INVALID_SPAN_CONTEXT, StatusCode

from otel_loopwatch.control.run import LiveRun
from otel_loopwatch.dialects import CallContent, Role, TurnContent, limit_of
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.registry import GENAI, dialect_of, find
from otel_loopwatch.spans import Span, SpanEvent
from otel_loopwatch.tracker.events import Reader

MAX_OPEN = 50_000
"""Open spans remembered; an entry takes about 0.3 kB, and none where the application forgot the span."""
MAX_DEPTH = 64
"""Ancestors looked at; deeper nesting is a broken tree."""


def held(span: ReadableSpan) -> Mapping[str, Any]:
    """The span's attributes in the SDK's own dict, to be looked at and not kept.

    0.05 us, where the public way costs 0.6; taken where the SDK does not keep them like that.
    """
    try:
        attributes: Mapping[str, Any] = span._attributes._dict  # type: ignore[union-attr]
    except AttributeError:
        attributes = span.attributes or {}
    return attributes


class LiveSpan:
    """A span of the SDK as the dialects see it (:class:`otel_loopwatch.spans.Span`).

    Refers to the span weakly: one that the application drops without ending it goes with its content. Attributes are
    those at the start until :meth:`open`, then read anew at each access until :meth:`finish`.
    """

    __slots__ = (
        "_attributes", "_dialect", "_ref", "context", "end_ns", "last_ns", "late", "of_agent", "ordinary", "parent_id",
        "run", "span_id", "trace_id",
    )  # fmt: skip

    def __init__(self, span: WritableSpan, now: int) -> None:
        self._ref = ref(span)
        self._attributes: Mapping[str, Any] | None = held(span).copy()  # type: ignore[attr-defined]
        self._dialect: tuple[Dialect | None] | None = None
        self.context = context = span.context or INVALID_SPAN_CONTEXT
        self.trace_id, self.span_id = context[0], context[1]
        parent = span.parent
        self.parent_id = parent.span_id if parent is not None else 0
        self.end_ns = 0
        self.last_ns = now
        """When the span or one below it started last, by our clock."""
        self.of_agent = False
        """Whether it, or a span that ended below it, is an agent's."""
        self.ordinary = False
        """Whether its start says that it is no agent's work (a request, a statement): nobody looks at it again."""
        self.late = False
        """Whether it is written onto just before it ends."""
        self.run: LiveRun | None = None
        """The run that lives in this span, once its first call was seen."""

    @property
    def span(self) -> WritableSpan | None:
        """The SDK's span, unless it is gone."""
        return self._ref()

    @property
    def name(self) -> str:
        """The name as it is now: spans are renamed."""
        span = self._ref()
        return span.name if span is not None else ""

    @property
    def scope(self) -> str:
        """Name of the instrumentation scope."""
        span = self._ref()
        scope = span.instrumentation_scope if span is not None else None
        return scope.name if scope is not None else ""

    @property
    def service(self) -> str:
        """That of this process, which has no name here."""
        return ""

    @property
    def attributes(self) -> Mapping[str, Any]:
        """A snapshot: reads of the SDK's own mapping cost a microsecond each."""
        if self._attributes is not None:
            return self._attributes
        span = self._ref()
        return held(span).copy() if span is not None else {}  # type: ignore[attr-defined]

    @property
    def dialect(self) -> Dialect | None:
        """The dialect it is written in; None for an ordinary span. Found once in what is final."""
        if self._attributes is None:
            return find(self)
        if self._dialect is None:
            self._dialect = (dialect_of(self._attributes, self.name),)
        return self._dialect[0]

    @property
    def is_open(self) -> bool:
        """Whether the span has not ended, and is not gone."""
        span = self._ref()
        return span is not None and span.end_time is None

    @property
    def attribute_limit(self) -> int | None:
        """Characters after which the SDK cuts this span's texts; None where it does not."""
        limits = getattr(self._ref(), "_limits", None)  # no public way to what the provider was given
        known = limits if isinstance(limits, SpanLimits) else _environment_limits()
        return known.max_span_attribute_length

    @property
    def events(self) -> Sequence[SpanEvent]:
        """Events so far."""
        span = self._ref()
        return [SpanEvent(e.name, e.attributes or {}) for e in span.events] if span is not None else ()

    @property
    def failed(self) -> bool:
        """Status is ERROR."""
        span = self._ref()
        return span is not None and span.status.status_code is StatusCode.ERROR

    @property
    def status_message(self) -> str:
        """Description of the status."""
        span = self._ref()
        return (span.status.description or "") if span is not None else ""

    @property
    def start_ns(self) -> int:
        """Start, ns since the epoch."""
        span = self._ref()
        return (span.start_time or 0) if span is not None else 0

    def open(self) -> None:
        """The span was taken in: from now on it is asked anew."""
        self._attributes = self._dialect = None

    def finish(self, end_ns: int) -> None:
        """The span ends: what it says now is final."""
        if not self.ordinary:
            self._attributes = self.attributes
        self.end_ns = end_ns


def reader(max_value_bytes: int) -> Reader:
    """How live spans are read: with the limits that cut them, and none that is ordinary."""

    def role(span: Span) -> Role:
        if _is_ordinary(span):
            return Role.OTHER
        dialect = _dialect_of(span)
        return Role.OTHER if dialect is None else dialect.role(span)

    def call(span: Span) -> CallContent | None:
        return (_dialect_of(span) or GENAI).call(span, max_value_bytes, _cut_at(span))

    def turn(span: Span) -> TurnContent:
        return (_dialect_of(span) or GENAI).turn(span, max_value_bytes, _cut_at(span))

    return Reader(role=role, call=call, turn=turn, limit=lambda span: None if _is_ordinary(span) else limit_of(span))


def _dialect_of(span: Span) -> Dialect | None:
    return span.dialect if isinstance(span, LiveSpan) else find(span)


def _is_ordinary(span: Span) -> bool:
    return isinstance(span, LiveSpan) and span.ordinary


def _cut_at(span: Span) -> int | None:
    return span.attribute_limit if isinstance(span, LiveSpan) else None


@cache
def _environment_limits() -> SpanLimits:
    """What providers take where the application passes no limits, variables included."""
    return SpanLimits()


class OpenSpans:
    """The open spans by id, bounded: gone ones, those idle for ``ttl_ns``, and then the oldest make room.

    An ordinary span *sleeps*: nothing is known of it but the span itself, until one that may matter begins beneath it.
    Most never wake. They do not keep a trace whose root is elsewhere from ending.
    """

    def __init__(self, ttl_ns: int, limit: int = MAX_OPEN) -> None:
        self._ttl_ns = ttl_ns
        self._limit = limit
        self._spans: dict[int, LiveSpan] = {}
        self.asleep: dict[int, ref[WritableSpan]] = {}
        """The sleeping ones: put in and taken out by whoever sees them start and end, which must cost no call."""
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._spans) + len(self.asleep)

    def wake(self, span_id: int, now: int) -> list[LiveSpan]:
        """Have the sleeping span of this id and those around it looked at from now on; from the outside in."""
        woken: list[LiveSpan] = []
        while len(woken) < MAX_DEPTH and (sleeper := self.asleep.pop(span_id, _nobody)()) is not None:
            live = LiveSpan(sleeper, now)
            live.ordinary = True
            self._spans[span_id] = live
            woken.append(live)
            span_id = live.parent_id
        for live in woken:
            if not live.is_open:  # it ended while we woke it, and nobody else will forget it
                self.pop(live.span_id)
        return [live for live in reversed(woken) if live.is_open]

    def add(self, span: LiveSpan) -> None:
        """Remember a span that starts; those around it are not idle."""
        self._spans[span.span_id] = span
        above, idle_ns = self._spans.get(span.parent_id), self._ttl_ns // 64
        while above is not None and span.last_ns - above.last_ns >= idle_ns:
            above.last_ns = span.last_ns
            above = self._spans.get(above.parent_id)

    def get(self, span_id: int) -> LiveSpan | None:
        """The open span of an id."""
        return self._spans.get(span_id)

    def pop(self, span_id: int) -> LiveSpan | None:
        """Forget a span that ends; None if it is unknown or was taken already."""
        return self._spans.pop(span_id, None)

    def around(self, span_id: int) -> Iterator[LiveSpan]:
        """The open span of this id, its parent, and so on up."""
        for _ in range(MAX_DEPTH):
            span = self._spans.get(span_id)
            if span is None:
                sleeper = self.asleep.get(span_id, _nobody)()
                if sleeper is None:
                    return
                span = LiveSpan(sleeper, 0)
            yield span
            span_id = span.parent_id

    def in_agents_work(self, span: LiveSpan) -> bool:
        """Whether a span that ends belongs to an agent's work, or encloses it: errors pass from one to the next."""
        if not span.of_agent and find(span) is not None:
            span.of_agent = True
            for above in self.around(span.parent_id):
                if above.of_agent:
                    break
                above.of_agent = True
        return span.of_agent or any(find(above) is not None for above in self.around(span.parent_id))

    def home(self, scope_id: int, parent_id: int, key: str) -> LiveSpan | None:
        """The span a run lives in: its scope's, one it is known to live in, or the outermost; None if none is open."""
        scope = self._spans.get(scope_id)
        if scope is not None and scope.run is not None and scope.run.key == key:
            return scope
        if scope is None:
            above = list(self.around(parent_id))
            known = (span for span in above if span.run is not None and span.run.key == key)
            scope = next(known, above[-1] if above else None)
        if scope is None:
            return None
        with self._lock:
            if scope.run is None:
                scope.run = LiveRun(key)
        return scope if scope.run.key == key else None

    def _drop_gone_sleepers(self) -> None:
        for span_id, sleeper in list(self.asleep.items()):
            if sleeper() is None:
                self.asleep.pop(span_id, None)

    def sweep(self, now: int) -> list[LiveSpan]:
        """Drop the spans that are gone and those idle for too long."""
        self._drop_gone_sleepers()
        return self._drop(s for s in list(self._spans.values()) if s.span is None or now - s.last_ns > self._ttl_ns)

    def make_room(self, now: int) -> list[LiveSpan]:
        """Where the limit is reached, drop an eighth of it at least, so that this is rare."""
        if len(self.asleep) >= self._limit:
            self._drop_gone_sleepers()
            for span_id in list(self.asleep)[: max(0, len(self.asleep) - self._limit * 7 // 8)]:
                self.asleep.pop(span_id, None)
        if len(self._spans) < self._limit:
            return []
        dropped = self.sweep(now)
        surplus = len(self._spans) - self._limit * 7 // 8
        return dropped + self._drop(list(self._spans.values())[: max(0, surplus)])

    def _drop(self, spans: Iterable[LiveSpan]) -> list[LiveSpan]:
        return [span for span in spans if self._spans.pop(span.span_id, None) is not None]


def _nobody() -> None:
    return None
