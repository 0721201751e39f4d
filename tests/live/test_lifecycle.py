import os
import subprocess
import sys
import time
from typing import Any

import pytest
from live_agent import AGENT, CLOCK, Rig, rig
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Decision, Sampler, SamplingResult
from opentelemetry.trace import Span, set_span_in_context

from otel_loopwatch.live import LiveSpan, OpenSpans
from otel_loopwatch.model import Kind
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.settings import THRESHOLDS

HOUR = 3600 * 10**9


class RecordOnly(Sampler):
    """Spans are recorded, and not exported."""

    def should_sample(self, *args: Any, **kwargs: Any) -> SamplingResult:
        """Record every span."""
        return SamplingResult(Decision.RECORD_ONLY, kwargs.get("attributes") or args[4])

    def get_description(self) -> str:
        """Name of the sampler."""
        return "RecordOnly"


def loop(bench: Rig) -> None:
    """Nine equal calls."""
    with bench.agent():
        for _ in range(9):
            bench.call()


def start_agent(bench: Rig) -> Span:
    """An agent's root span that somebody has to end."""
    return bench.provider.get_tracer("agents").start_span("invoke_agent", context=Context(), attributes=AGENT)


def call_within(bench: Rig, agent: Span) -> None:
    """A tool call below an agent's span that is not current."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
    tracer = bench.provider.get_tracer("agents")
    tracer.start_span("execute_tool look", context=set_span_in_context(agent, Context()), attributes=attributes).end()


def start_inner(bench: Rig, outer: Span) -> Span:
    """The same call as its MCP client tells it, within the framework's span."""
    attributes = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search_docs"}
    tracer = bench.provider.get_tracer("mcp")
    return tracer.start_span("tools/call search_docs", context=set_span_in_context(outer), attributes=attributes)


def test_shutdown_in_the_middle_of_a_run() -> None:
    """The application goes on, its spans end, and we are gone."""
    bench = rig()
    with bench.agent():
        bench.call()
        open_call = bench.start_call()
        bench.processor.shutdown()
        open_call.end()
        bench.call()
    assert len(bench.spans()) == 4
    assert not any(key.startswith("loopwatch") for key in bench.spans()[-1].attributes or {})
    assert bench.counts("loopwatch.run.active") == {}
    assert bench.counts("loopwatch.processor.failures") == {}


def test_what_still_waits_is_judged_at_shutdown() -> None:
    """A call told by an inner span waits for the outer one, which never ends: it is not lost."""
    bench = rig()
    with bench.agent():
        start_inner(bench, bench.start_call()).end()
        assert bench.counts("loopwatch.tool.calls") == {}
        bench.provider.shutdown()
    assert bench.counts("loopwatch.tool.calls") == {("search_docs", "unknown"): 1}
    assert bench.counts("loopwatch.run.evicted") == {("shutdown",): 1}


def test_shutting_the_provider_down_twice_and_late() -> None:
    """Neither raises, and later calls leave nothing behind."""
    bench = rig()
    loop(bench)
    bench.provider.shutdown()
    bench.provider.shutdown()
    loop(bench)
    assert len(bench.processor._open) == 0


def test_what_was_skipped_is_still_told_after_shutdown() -> None:
    """The last collection comes after the tracer provider is gone."""
    bench = rig()
    with bench.agent():
        outer = bench.start_call()
        start_inner(bench, outer).end()
        outer.end()
    skipped = bench.counts("loopwatch.processor.skipped")
    bench.provider.shutdown()
    assert skipped
    assert bench.counts("loopwatch.processor.skipped") == skipped


def test_nothing_is_held_back() -> None:
    """There is nothing to flush."""
    bench = rig()
    loop(bench)
    assert bench.processor.force_flush() is True


@pytest.mark.parametrize("variable", ["OTEL_SDK_DISABLED", "OTEL_LOOPWATCH_DISABLED"])
def test_switched_off_by_the_environment(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """A disabled processor sees nothing, writes nothing and makes no instruments."""
    monkeypatch.setenv(variable, "true")
    bench = rig()
    monkeypatch.delenv(variable)
    assert bench.processor.enabled is False
    loop(bench)
    assert not any(key.startswith("loopwatch") for span in bench.spans() for key in span.attributes or {})
    assert bench.points("loopwatch.run.active") == {}


def test_spans_that_are_not_recorded_are_never_seen() -> None:
    """A head sampler hides runs from every processor; nothing is left of them."""
    bench = rig(sampler=ALWAYS_OFF)
    loop(bench)
    assert bench.counts("loopwatch.tool.calls") == {}
    assert len(bench.processor._open) == 0


def test_spans_that_are_only_recorded_are_judged() -> None:
    """Recording without sampling is enough."""
    bench = rig(sampler=RecordOnly())
    loop(bench)
    assert bench.counts("loopwatch.tool.calls") == {("search_docs", "success"): 9}
    assert bench.spans() == []


def test_a_processor_added_in_the_middle() -> None:
    """Spans that began without us end as ever; those that begin now are judged."""
    provider = TracerProvider(shutdown_on_exit=False)
    tracer = provider.get_tracer("agents")
    with tracer.start_as_current_span("invoke_agent", attributes=AGENT):
        bench = rig()
        provider.add_span_processor(bench.processor)
        tracer.start_span("execute_tool look", attributes={"gen_ai.operation.name": "execute_tool"}).end()
    assert bench.counts("loopwatch.processor.failures") == {}
    assert len(bench.processor._open) == 0


def test_a_child_that_ends_after_its_parent() -> None:
    """A late call is judged, and the ended agent's span is left alone."""
    bench = rig()
    with bench.agent():
        late = bench.start_call()
    late.end()
    assert bench.counts("loopwatch.tool.calls") == {("search_docs", "unknown"): 1}
    assert bench.counts("loopwatch.processor.failures") == {}
    assert len(bench.processor._open) == 0


def test_an_end_that_passes_us_by() -> None:
    """Where something calls the class's own end(), the call is judged all the same, and the agent marked."""
    bench = rig()
    with bench.agent() as agent:
        for _ in range(3):
            span = bench.start_call()
            span.set_attribute("gen_ai.tool.call.result", "The parcel waits at the depot")
            type(span).end(span, next(CLOCK.get()))
        assert agent.attributes is not None
        assert agent.attributes["loopwatch.loop.kind"] == "identical"
    assert "loopwatch.loop.kind" not in (bench.spans("execute_tool")[2].attributes or {})


def test_errors_of_ours_are_counted_and_logged_once_per_kind(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The application sees its spans end; the metric counts each failure, the log has one record."""
    bench = rig()

    def broken(call: object) -> None:
        raise LookupError("ours")

    monkeypatch.setattr(bench.processor._engine, "observe", broken)
    loop(bench)
    assert len(bench.spans()) == 10
    assert bench.counts("loopwatch.processor.failures") == {("LookupError",): 9}
    assert len([record for record in caplog.records if "Loopwatch failed" in record.message]) == 1


def test_runs_that_never_end_stay_bounded() -> None:
    """Agents whose spans are never ended are forgotten beyond the cap, by reason."""
    bench = rig(max_runs=50)
    bench.processor._open = OpenSpans(ttl_ns=HOUR, limit=100)
    agents = [start_agent(bench) for _ in range(500)]
    for agent in agents:
        call_within(bench, agent)
    assert len(bench.processor._open) <= 100
    assert len(bench.processor._engine) <= 50
    assert len(bench.processor._tracker) <= 50
    assert sum(bench.counts("loopwatch.run.evicted").values()) == 450


def test_spans_the_application_dropped_make_room() -> None:
    """We keep no span alive: what is gone goes first."""
    bench = rig()
    spans = OpenSpans(ttl_ns=HOUR, limit=8)
    kept = [start_agent(bench) for _ in range(2)]
    for span in kept:
        spans.add(LiveSpan(span, 0))  # type: ignore[arg-type]
    for _ in range(6):
        dropped = TracerProvider(shutdown_on_exit=False).get_tracer("t").start_span("dropped")
        spans.add(LiveSpan(dropped, 0))  # type: ignore[arg-type]
        del dropped
    spans.make_room(1)
    assert [span.span for span in spans.make_room(1)] == []
    assert len(spans) == 2


def test_idle_spans_go_after_their_time_to_live() -> None:
    """By our clock, which a test can turn; a span below which work goes on is not idle."""
    now = [10 * HOUR]
    bench = rig(clock=lambda: now[0], run_ttl_s=3600)
    idle, busy = start_agent(bench), start_agent(bench)
    for _ in range(4):
        now[0] += HOUR // 2
        call_within(bench, busy)
    remembered = bench.processor._open
    assert remembered.get(idle.get_span_context().span_id) is None
    assert remembered.get(busy.get_span_context().span_id) is not None


FORK = """
import os, sys
sys.path.insert(0, sys.argv[1])
from live_agent import rig

bench = rig()
with bench.agent():
    for _ in range(2):
        bench.call()
    locks = bench.processor._engine, bench.processor._tracker
    held = [getattr(part, name) for part in locks for name in ("_lock",) if hasattr(part, name)]
    for lock in held:
        lock.acquire()
    child = os.fork()
    if child == 0:
        state = len(bench.processor._open), len(bench.processor._engine), len(bench.processor._tracker)
        with bench.agent("worker"):
            for _ in range(3):
                bench.call()
        print("child", *state, *bench.counts("loopwatch.tool.calls").values(), flush=True)
        os._exit(0)
    for lock in held:
        lock.release()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for _ in range(int(sys.argv[2]) - 2):
        bench.call()
print("parent", *bench.counts("loopwatch.tool.calls").values(), *bench.counts("loopwatch.loop.signals").values())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_forked_child_starts_afresh() -> None:
    """Even if a lock was held: the child has empty state and its own counts, the parent's are untouched."""
    tests = os.path.dirname(os.path.dirname(__file__))
    calls = THRESHOLDS[Kind.IDENTICAL].warning
    program = [sys.executable, "-c", FORK, tests, str(calls)]
    result = subprocess.run(program, capture_output=True, text=True, check=True, timeout=30)
    assert [line.replace(".0", "") for line in result.stdout.splitlines()] == ["child 0 0 0 3", f"parent {calls} 1"]


def test_options_may_be_given_ready_made() -> None:
    """The whole set-up as one value, for those who load it themselves."""
    options = rig(window=20).processor.options
    assert LoopwatchSpanProcessor(options).options.settings.window == 20


@pytest.mark.parametrize(
    ("name", "value"), [("window", 0), ("control", "stop"), ("enforcement", True), ("nonsense", 1)]
)
def test_bad_arguments_are_refused_by_name(name: str, value: object) -> None:
    """At set-up, with the name of what is wrong."""
    with pytest.raises(ValueError, match=name):
        LoopwatchSpanProcessor(**{name: value})


def test_a_conversation_goes_on_in_the_next_trace() -> None:
    """Runs keyed by conversation outlive their agent's span, which still gets the balance so far."""
    bench = rig(run_key="conversation")
    for _ in range(4):
        with bench.agent(**{"gen_ai.conversation.id": "c-1"}):
            bench.call()
    balances = [(span.attributes or {}).get("loopwatch.run.status") for span in bench.spans("invoke_agent")]
    assert balances[0] == "clean"
    assert None not in balances
    assert bench.counts("loopwatch.run.active") == {(): 1}
    assert bench.counts("loopwatch.run.ended") == {}


def test_a_run_without_a_call_for_its_time_to_live_is_dropped() -> None:
    """It is counted as evicted, once, whoever drops it."""
    now = [time.time_ns()]
    bench = rig(clock=lambda: now[0], run_ttl_s=60)
    forgotten = start_agent(bench)
    call_within(bench, forgotten)
    now[0] += 2 * HOUR
    with bench.agent():
        assert sum(bench.counts("loopwatch.run.evicted").values()) == 1
    assert bench.counts("loopwatch.run.active") == {}
