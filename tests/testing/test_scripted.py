"""Runs made by hand, on a clock made by hand."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import get_current_span

from otel_loopwatch.testing import Clock, ScriptedAgent, Watch


def test_a_clock_moves_when_it_is_told_to() -> None:
    """Nanoseconds, as the processor's ``clock`` gives them."""
    clock = Clock(now_ns=5)
    assert [clock(), clock.advance(1.5), clock()] == [5, 1_500_000_005, 1_500_000_005]


def test_an_agent_makes_the_calls_it_is_told_to() -> None:
    """Each after a model response and the agent's gap, under the agent's span."""
    provider, exporter = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    clock = Clock()
    with ScriptedAgent(provider.get_tracer("agents"), "finder", clock=clock, gap_s=10) as agent:
        agent.call("find", {"q": 1}, "found")
        agent.call("send", error="refused")
    by_name = {span.name: span for span in exporter.get_finished_spans()}
    calls = [span for span in exporter.get_finished_spans() if span.name.startswith("execute_tool")]
    root = by_name["invoke_agent finder"]
    assert [span.name for span in calls] == ["execute_tool find", "execute_tool send"]
    assert all(span.parent and span.parent.span_id == root.context.span_id for span in calls)
    assert (calls[1].start_time or 0) - (calls[0].start_time or 0) == 10 * 10**9
    assert [span.status.is_ok for span in calls] == [True, False]
    assert root.end_time == clock()
    assert not get_current_span().is_recording()


def test_what_the_test_raises_ends_the_agent() -> None:
    """The span is ended and the error reaches the test."""
    provider = TracerProvider(shutdown_on_exit=False)
    watch = Watch(provider)
    with pytest.raises(TypeError), ScriptedAgent(provider.get_tracer("agents")) as agent:
        agent.call("find", 3)  # type: ignore[arg-type]
    assert watch._witness.live_runs == 0
