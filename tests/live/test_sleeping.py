"""Ordinary spans: nobody looks at them, until work of an agent may begin beneath them."""

from __future__ import annotations

import pytest
from live_agent import Rig, rig
from opentelemetry.context import Context
from opentelemetry.sdk.trace import Span
from opentelemetry.trace import set_span_in_context

from otel_loopwatch import current_run, live, processor
from otel_loopwatch.live import OpenSpans

REQUEST = {"http.request.method": "GET", "url.path": "/chat"}
HTTPX = "opentelemetry.instrumentation.httpx"
HOUR = 3600 * 10**9


def request(bench: Rig, above: Span | None = None) -> Span:
    """The span of a request, beneath another or at the root."""
    context = set_span_in_context(above, Context()) if above is not None else Context()
    span = bench.provider.get_tracer("web").start_span("GET /chat", context=context, attributes=REQUEST)
    assert isinstance(span, Span)
    return span


def test_nothing_is_made_of_ordinary_spans() -> None:
    """They are remembered by id alone while they are open, and the tracker never hears of them."""
    bench = rig()
    outer = request(bench)
    inner = request(bench, outer)
    assert len(bench.processor._open.asleep) == 2
    assert len(bench.processor._tracker) == 0
    inner.end()
    outer.end()
    assert len(bench.processor._open) == 0


def test_a_run_lives_in_the_request_it_was_made_for() -> None:
    """Calls of no agent, beneath two requests of which nothing was known: the outer one gets the marks, and ends it."""
    bench = rig()
    tracer = bench.provider.get_tracer("web")
    with (
        tracer.start_as_current_span("POST /chat", attributes=REQUEST) as outer,
        tracer.start_as_current_span("GET /chat", attributes=REQUEST) as inner,
    ):
        for _ in range(9):
            bench.call()
        assert len(bench.processor._open.asleep) == 0
    assert isinstance(outer, Span)
    assert isinstance(inner, Span)
    assert (outer.attributes or {})["loopwatch.loop.kind"] == "identical"
    assert not any(key.startswith("loopwatch") for key in inner.attributes or {})
    assert bench.counts("loopwatch.run.ended") == {("looped",): 1}
    assert len(bench.processor._open) + len(bench.processor._tracker) == 0


def test_a_call_is_told_once_through_a_client_and_a_server() -> None:
    """The MCP server's span, two requests beneath the client's, tells the client's call again."""
    bench = rig()
    with bench.agent():
        outer = bench.start_call()
        requests = [request(bench, outer)]
        requests.append(request(bench, requests[0]))
        inside = set_span_in_context(requests[-1], Context())
        told = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search_docs"}
        bench.provider.get_tracer("mcp").start_span("tools/call search_docs", context=inside, attributes=told).end()
        for span in (*reversed(requests), outer):
            span.end()
    assert bench.counts("loopwatch.tool.calls") == {("search_docs", "unknown"): 1}


def test_plumbing_sleeps_whatever_it_carries() -> None:
    """A client's span without attributes; it does not make its trace one that is followed."""
    bench = rig()
    span = bench.provider.get_tracer(HTTPX).start_span("GET")
    assert len(bench.processor._open.asleep) == 1
    assert len(bench.processor._tracker) == 0
    span.end()
    assert len(bench.processor._open) == 0


def test_a_sleeping_span_is_known_to_the_application() -> None:
    """Asking for the current run within a request does not wake it."""
    bench = rig()
    with bench.provider.get_tracer("web").start_as_current_span("GET /chat", attributes=REQUEST):
        assert current_run().watched
        assert len(bench.processor._open.asleep) == 1


@pytest.mark.parametrize("kept", [True, False])
def test_requests_that_never_end_stay_bounded(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gone ones make room for others, and then the oldest."""
    monkeypatch.setattr(processor, "MAX_OPEN", 64)
    bench = rig()
    bench.processor._open = OpenSpans(HOUR, limit=64)
    spans = []
    for _ in range(300):
        span = request(bench)
        if kept:
            spans.append(span)
    assert len(bench.processor._open) <= 64
    assert kept is (spans[-1].get_span_context().span_id in bench.processor._open.asleep if spans else False)


def test_a_span_that_ends_while_it_is_woken_is_not_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end was seen by another thread, which found it neither asleep nor awake."""
    bench = rig()
    span = request(bench)
    span_id = span.get_span_context().span_id
    wide_awake = live.LiveSpan

    def ending(*args: object) -> object:
        span.end()
        return wide_awake(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(live, "LiveSpan", ending)
    assert bench.processor._open.wake(span_id, 0) == []
    assert len(bench.processor._open) == 0


def test_requests_alone_let_what_is_too_old_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was left is dropped after its time, though no agent works any more."""
    monkeypatch.setattr(processor, "TIDIED_AT", 1)
    now = [HOUR]
    bench = rig(clock=lambda: now[0], run_ttl_s=60)
    forgotten = bench.provider.get_tracer("agents").start_span("invoke_agent", context=Context())
    now[0] += HOUR * 10**6
    request(bench).end()
    assert len(bench.processor._open) == 0
    assert forgotten.is_recording()
