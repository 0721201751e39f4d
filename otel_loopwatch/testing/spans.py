"""Loops in finished spans, as an in-memory exporter keeps them."""

from __future__ import annotations

from collections.abc import Iterable

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode

from otel_loopwatch.config import load
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Level, ModelTurn, ToolCall
from otel_loopwatch.settings import Options
from otel_loopwatch.spans import SpanData, SpanEvent
from otel_loopwatch.testing.findings import Findings, Loop, LoopFound, explained
from otel_loopwatch.tracker import Tracker, replay


def assert_no_loops(
    spans: Iterable[ReadableSpan], *, fail_on: Level | str = Level.WARNING, options: Options | None = None
) -> None:
    """Fail with the loops explained, if the tool calls of these spans form any of level ``fail_on`` or above.

    ``options`` are by default those that hold here: environment, YAML file, defaults.

    :raises LoopFound: an ``AssertionError``.
    """
    found = findings(spans, options).at_least(Level(fail_on))
    if found:
        raise LoopFound(explained(found))


def find_loops(spans: Iterable[ReadableSpan], options: Options | None = None) -> list[Loop]:
    """The loops that the tool calls of finished spans form, in whatever order the spans come."""
    return findings(spans, options).loops


def findings(spans: Iterable[ReadableSpan], options: Options | None = None) -> Findings:
    """Calls and loops of finished spans, judged as ``otel-loopwatch replay`` judges a file."""
    options = options or load()
    found, engine = Findings(), Engine(options.settings)
    tracker = Tracker(run_key=options.run_key, ttl_s=options.settings.run_ttl_s)
    for event in replay(map(finished, spans), tracker):
        if isinstance(event, ToolCall):
            found.called(event)
            signals = engine.observe(event).signals
        elif isinstance(event, ModelTurn):
            signals = engine.observe_turn(event)
        else:
            engine.end(event.run)
            continue
        for signal in signals:
            found.signalled(signal)
    return found


def finished(span: ReadableSpan) -> SpanData:
    """A finished span of the SDK, as dialects read it."""
    context = span.get_span_context()
    return SpanData(
        trace_id=context.trace_id if context else 0,
        span_id=context.span_id if context else 0,
        parent_id=span.parent.span_id if span.parent else 0,
        name=span.name,
        scope=span.instrumentation_scope.name if span.instrumentation_scope else "",
        attributes=span.attributes or {},
        events=[SpanEvent(event.name, event.attributes or {}) for event in span.events],
        failed=span.status.status_code is StatusCode.ERROR,
        status_message=span.status.description or "",
        start_ns=span.start_time or 0,
        end_ns=span.end_time or 0,
    )
