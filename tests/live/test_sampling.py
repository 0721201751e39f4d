"""Under a head sampler: what detectors see, and what exporters get."""

from __future__ import annotations

from collections import Counter

import pytest
from live_agent import Rig, rig
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    ParentBased,
    Sampler,
    TraceIdRatioBased,
)
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from otel_loopwatch.sampling import MAX_LOOPING, LoopwatchSampler, by_ratio, by_ratio_with_loops
from otel_loopwatch.telemetry import names

RUNS = 400
CALLS = 4
ONE_PERCENT = ParentBased(TraceIdRatioBased(0.01))


class Shown(SpanProcessor):
    """Counts what processors are shown."""

    def __init__(self) -> None:
        self.started = 0
        self.ended = 0

    def on_start(self, span: Span, parent_context: object = None) -> None:
        self.started += 1

    def on_end(self, span: ReadableSpan) -> None:
        self.ended += 1


def looping_runs(bench: Rig, runs: int = RUNS) -> None:
    """Agents that make one call again and again."""
    for _ in range(runs):
        with bench.agent():
            for _ in range(CALLS):
                bench.call()


def test_all_traces_are_watched_while_the_exporter_gets_one_in_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run's loop is counted; exported are exactly the traces that the sampler inside lets through."""
    numbers = iter(range(1, 1 << 20))
    step = (1 << 64) // RUNS  # evenly spread ids, so that one in a hundred is exactly that
    monkeypatch.setattr(RandomIdGenerator, "generate_trace_id", lambda self: (1 << 64) + next(numbers) * step - 1)
    shown, bench = Shown(), rig(LoopwatchSampler(ONE_PERCENT))
    bench.provider.add_span_processor(shown)
    looping_runs(bench)
    assert (shown.started, shown.ended) == (RUNS * (CALLS + 1),) * 2
    assert bench.counts("loopwatch.loop.signals") == {("search_docs", "identical", "warning"): RUNS}
    exported = Counter(span.context.trace_id for span in bench.spans())
    assert len(exported) == RUNS // 100
    assert set(exported.values()) == {CALLS + 1}


def test_without_it_whole_traces_are_missed() -> None:
    """What the sampler is for."""
    bench = rig(ALWAYS_OFF)
    looping_runs(bench, 3)
    assert bench.counts("loopwatch.loop.signals") == {}


def test_the_rest_of_a_looping_run_is_exported_on_request() -> None:
    """What starts after the signal of the third call; not the agent's span, which had started before."""
    bench = rig(LoopwatchSampler(ALWAYS_OFF, export_loops=True))
    with bench.agent():
        for _ in range(6):
            bench.call()
    with bench.agent():
        bench.call()
    assert [span.name for span in bench.spans()] == ["execute_tool search_docs"] * 3
    assert bench.before.get_finished_spans() == bench.after.get_finished_spans()
    bench.call()
    assert len(bench.spans()) == 3


def test_loops_of_another_process_and_loops_not_asked_for_are_not_exported() -> None:
    """Without the option nothing but the inner decision counts."""
    bench = rig(LoopwatchSampler(ALWAYS_OFF))
    looping_runs(bench, 2)
    assert bench.spans() == []


def test_memory_of_looping_traces_is_bounded() -> None:
    """The oldest are forgotten."""
    sampler = LoopwatchSampler(ALWAYS_OFF, export_loops=True)
    for trace_id in range(1, MAX_LOOPING + 10):
        sampler.looping(trace_id)
    sampled = [sampler.should_sample(None, each, "x").decision.is_sampled() for each in (9, 10, MAX_LOOPING + 9)]
    assert sampled == [False, True, True]


def test_attributes_at_the_start_and_trace_state_are_kept() -> None:
    """A recorded span is whole; with the SDK's own samplers a dropped decision carries no attributes."""
    result = LoopwatchSampler(ALWAYS_OFF).should_sample(None, 7, "x", attributes={"k": "v"})
    assert result.decision.is_recording()
    assert dict(result.attributes) == {"k": "v"}


def test_the_decision_of_a_remote_parent_holds() -> None:
    """``ParentBased`` inside: what came in unsampled is watched, and goes on unsampled."""
    bench = rig(LoopwatchSampler(ParentBased(ALWAYS_ON)))
    parent = NonRecordingSpan(SpanContext(7, 9, is_remote=True, trace_flags=TraceFlags(0)))
    span = bench.provider.get_tracer("t").start_span("execute_tool x", set_span_in_context(parent))
    span.end()
    assert span.is_recording() is False
    assert not span.get_span_context().trace_flags.sampled
    assert bench.spans() == []


@pytest.mark.parametrize(("argument", "ratio"), [("0.01", "0.01"), ("", "1.0"), (None, "1.0")])
def test_the_sampler_of_the_environment(argument: str | None, ratio: str) -> None:
    """As the SDK makes it from ``OTEL_TRACES_SAMPLER`` and its argument."""
    made: list[Sampler] = [by_ratio(argument), by_ratio_with_loops(argument)]
    assert all(f"TraceIdRatioBased{{{ratio}}}" in sampler.get_description() for sampler in made)


@pytest.mark.parametrize("argument", ["much", "2", "-1"])
def test_a_wrong_ratio_is_said(argument: str) -> None:
    """With the variable's name."""
    with pytest.raises(ValueError, match="OTEL_TRACES_SAMPLER_ARG is"):
        by_ratio(argument)


def test_signals_are_marked_on_unsampled_spans_all_the_same() -> None:
    """Halting, advice and metrics do not depend on what is exported."""
    bench = rig(LoopwatchSampler(ALWAYS_OFF))
    with bench.agent() as agent:
        for _ in range(4):
            bench.call()
        assert agent.attributes is not None
        assert agent.attributes[names.LOOP_DETECTED] is True
