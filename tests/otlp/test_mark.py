from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_loopwatch.otlp import mark
from otel_loopwatch.otlp.decode import spans
from otel_loopwatch.otlp.values import write_pairs
from otel_loopwatch.spans import SpanEvent
from otel_loopwatch.stream import Mark, MarkedSpan

TRACE = 0x0102030405060708090A0B0C0D0E0F10


def request(*names: str) -> ExportTraceServiceRequest:
    """Spans of one trace, numbered from 1, each under a resource of its own."""
    made = ExportTraceServiceRequest()
    for number, name in enumerate(names, 1):
        span = made.resource_spans.add().scope_spans.add().spans.add(name=name)
        span.trace_id, span.span_id = TRACE.to_bytes(16, "big"), number.to_bytes(8, "big")
        span.attributes.add(key="own").value.string_value = "kept"
    return made


def span(made: ExportTraceServiceRequest, number: int) -> Span:
    """A span of the request by its number."""
    return made.resource_spans[number - 1].scope_spans[0].spans[0]


def test_attributes_and_events_are_added_to_the_marked_span_only() -> None:
    """Values of every type; every other span stays as it was, to the byte."""
    made, before = request("a", "b"), request("a", "b")
    attributes = {"text": "t", "yes": True, "count": 3, "share": 0.5, "tools": ("x", "y")}
    marked = MarkedSpan(attributes=dict(attributes), events=[Mark("loopwatch.loop", {"n": 1}, 77)])
    mark.apply(made, {(TRACE, 2): marked})
    first, second = spans(made)
    assert span(made, 1) == span(before, 1)
    assert second.attributes == {"own": "kept", **attributes, "tools": ["x", "y"]}
    assert second.events == (SpanEvent("loopwatch.loop", {"n": 1}),)
    assert span(made, 2).events[0].time_unix_nano == 77
    assert (first.failed, second.failed) == (False, False)


def test_a_key_that_is_there_gets_the_new_value() -> None:
    """Once, also where it was there twice."""
    made = request("a")
    for value in ("old", "older"):
        span(made, 1).attributes.add(key="loopwatch.call.outcome").value.string_value = value
    mark.apply(made, {(TRACE, 1): MarkedSpan(attributes={"loopwatch.call.outcome": "empty"})})
    pairs = [(pair.key, pair.value.string_value) for pair in span(made, 1).attributes]
    assert pairs == [("own", "kept"), ("loopwatch.call.outcome", "empty")]


def test_a_status_is_set_where_there_is_none() -> None:
    """What the span says of itself is not overwritten."""
    made = request("unset", "ok")
    span(made, 2).status.code = 1
    mark.apply(made, {(TRACE, number): MarkedSpan(error="halted") for number in (1, 2)})
    assert (span(made, 1).status.code, span(made, 1).status.message) == (2, "halted")
    assert (span(made, 2).status.code, span(made, 2).status.message) == (1, "")


def test_a_mark_of_a_span_that_is_elsewhere_changes_nothing() -> None:
    """Spans of other traces may have the same span id."""
    made = request("a")
    mark.apply(made, {(5, 1): MarkedSpan(attributes={"a": 1}), (TRACE, 9): MarkedSpan(attributes={"a": 1})})
    assert made == request("a")


def told(action: str, dry: bool = False, **more: Any) -> dict[str, Any]:
    """What a span says of what was done."""
    return {"loopwatch.loop.action": action, **({"loopwatch.loop.dry_run": True} if dry else {}), **more}


CLEAN, LOOPED, HALTED = ({"loopwatch.run.status": status} for status in ("clean", "looped", "halted"))


@pytest.mark.parametrize(
    ("before", "now", "then"),
    [
        (told("continue"), told("halt"), told("halt")),
        (told("halt"), told("continue"), told("halt")),
        (told("nudge"), told("block"), told("block")),
        (told("halt", dry=True), told("halt"), told("halt")),
        (told("halt"), told("halt", dry=True), told("halt")),
        (told("halt", dry=True), told("nudge"), told("nudge")),
        (told("halt", dry=True), told("continue"), told("halt", dry=True)),
        (told("nonsense"), told("continue"), told("continue")),
        ({"loopwatch.loop.action": 7}, told("continue"), told("continue")),
        (told("halt"), {}, told("halt")),
        (HALTED, LOOPED, HALTED),
        (LOOPED, HALTED, HALTED),
        (CLEAN, LOOPED, LOOPED),
        (told("halt", **HALTED), told("continue", **LOOPED), told("halt", **HALTED)),
    ],
)
def test_of_two_who_say_what_was_done_the_one_that_did_more_is_believed(
    before: dict[str, Any], now: dict[str, Any], then: dict[str, Any]
) -> None:
    """The processor of the span's own process, or a gateway on its way."""
    made = request("a")
    write_pairs(span(made, 1).attributes, before)
    mark.apply(made, {(TRACE, 1): MarkedSpan(attributes=now)})
    (found,) = spans(made)
    assert found.attributes == {"own": "kept", **then}


def test_a_loop_is_told_by_one_event() -> None:
    """Whoever told it first; another loop by another."""
    made = request("a")
    events = [Mark("loopwatch.loop", {"loopwatch.loop.id": id_}, 1) for id_ in ("one", "two")]
    for some in (events[:1], events, [Mark("loopwatch.loop", {}, 1)]):
        mark.apply(made, {(TRACE, 1): MarkedSpan(events=some)})
    (found,) = spans(made)
    assert [event.attributes.get("loopwatch.loop.id") for event in found.events] == ["one", "two", None]
