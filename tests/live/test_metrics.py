import subprocess
import sys
from typing import ClassVar

import pytest
from live_agent import Rig, rig
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import Histogram, InMemoryMetricReader

from otel_loopwatch.dialects import Limit
from otel_loopwatch.model import Kind, Level, Outcome
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.metrics import MAX_NAME_CHARS


def loop(bench: Rig, calls: int = 9) -> None:
    """One agent that makes the same call over and over."""
    with bench.agent():
        for _ in range(calls):
            bench.call()


def test_everything_in_the_catalogue_is_exported_as_it_says() -> None:
    """Names, units, descriptions, labels and buckets are those of the catalogue."""
    bench = rig(control_hook="halt")
    loop(bench)
    data = bench.reader.get_metrics_data()
    assert data is not None
    exported = {m.name: m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics}
    for metric in names.METRICS:
        found = exported.pop(metric.name)
        assert (found.unit, found.description) == (metric.unit, metric.description)
        labels, required = set(metric.attributes), set(metric.attributes) - {names.RUN_LIMIT, names.RUN_TERMINATION}
        assert all(required <= set(point.attributes or {}) <= labels for point in found.data.data_points)
        if isinstance(found.data, Histogram):
            assert found.data.data_points[0].explicit_bounds == metric.buckets
    assert not exported


def test_a_new_tool_is_born_with_all_its_series_at_zero() -> None:
    """An alert on an increase sees the first signal, because the series was there before."""
    bench = rig()
    with bench.agent():
        bench.call()
        signals = bench.points("loopwatch.loop.signals")
        assert {labels: point.value for labels, point in signals.items()} == {
            ("search_docs", kind.value, level.value): 0 for kind in Kind for level in Level
        }
        assert len(bench.points("loopwatch.tool.calls")) == len(Outcome)
        assert len(bench.points("loopwatch.run.halts")) == len(Kind)
        assert bench.points("loopwatch.loop.wasted_calls")["search_docs",].value == 0


def test_process_wide_series_are_born_at_start() -> None:
    """What needs no tool is exported as 0 before anything happened."""
    bench = rig()
    ends = [("clean",), ("halted",), ("looped",), ("recovered",), *((limit.value, "limit_reached") for limit in Limit)]
    seen = {labels: point.value for labels, point in bench.points("loopwatch.run.ended").items()}
    assert seen == dict.fromkeys(ends, 0)
    for metric in ("loopwatch.processor.failures", "loopwatch.control.hook.failures", "loopwatch.run.evicted"):
        assert next(iter(bench.points(metric).values())).value == 0


def test_a_loop_is_counted() -> None:
    """Calls, signals, waste, halts and the end of the run."""
    bench = rig(control_hook="halt")
    loop(bench, 9)
    assert bench.counts("loopwatch.tool.calls") == {("search_docs", "success"): 9}
    assert bench.counts("loopwatch.loop.signals") == {
        ("search_docs", "identical", "critical"): 1,
        ("search_docs", "identical", "warning"): 1,
    }
    assert bench.counts("loopwatch.loop.wasted_calls")["search_docs",] >= 6
    assert bench.counts("loopwatch.loop.wasted_duration")["search_docs",] > 0
    assert bench.counts("loopwatch.run.halts") == {("search_docs", "identical"): 1}
    assert bench.counts("loopwatch.run.ended") == {("halted",): 1}
    assert bench.points("loopwatch.run.tool_calls")["halted",].sum == 9


def test_runs_are_active_until_they_end() -> None:
    """The gauge follows the runs."""
    bench = rig()
    with bench.agent():
        bench.call()
        assert bench.counts("loopwatch.run.active") == {(): 1}
    assert bench.counts("loopwatch.run.active") == {}


def test_a_recovery_is_counted() -> None:
    """A run that moves on after a signal is a recovered one."""
    bench = rig()
    with bench.agent():
        for _ in range(4):
            bench.call()
        for step in "abc":
            bench.call(f"read_{step}", f'{{"page": "{step}"}}', f"chapter {step * 7} tells of other things")
    assert bench.counts("loopwatch.loop.recoveries") == {("search_docs", "identical"): 1}
    assert bench.counts("loopwatch.run.ended") == {("recovered",): 1}


def test_exemplars_point_at_the_tool_span() -> None:
    """From a signal on a dashboard to the very call, although another span is current when it ends."""
    bench = rig()
    with bench.agent():
        spans = [bench.call() for _ in range(3)]
    signal = bench.points("loopwatch.loop.signals")["search_docs", "identical", "warning"]
    assert [exemplar.span_id for exemplar in signal.exemplars] == [spans[2].get_span_context().span_id]


def test_tool_names_are_bounded_and_cut() -> None:
    """A model that makes tool names up cannot flood the metrics backend."""
    bench = rig(max_tool_names=2)
    with bench.agent():
        for name in ("a", "b" * 1000, "c", "d", "a"):
            bench.call(name)
    assert bench.counts("loopwatch.tool.calls") == {
        ("a", "success"): 2,
        ("b" * MAX_NAME_CHARS, "success"): 1,
        (names.OTHER, "success"): 2,
    }


def test_series_made_ahead_stay_below_the_sdks_limit() -> None:
    """With many tools, later ones get their series with their first event."""
    bench = rig(max_tool_names=200)
    for number in range(200):
        bench.processor._metrics.tool(f"tool_{number}")
    assert all(len(bench.points(metric.name)) <= 2000 for metric in names.METRICS)
    assert len(bench.points("loopwatch.loop.signals")) > 1500


def test_a_collection_survives_what_it_asks() -> None:
    """A callback that cannot answer exports nothing, counts it, and raises nothing into the SDK."""
    bench = rig()

    class Broken:
        @property
        def live_runs(self) -> int:
            """Cannot tell."""
            raise LookupError

        capacity = model_calls = 0
        skipped: ClassVar[dict[str, int]] = {}

    bench.processor._metrics.attach(Broken(), 1)
    assert bench.points("loopwatch.run.active") == {}
    assert bench.counts("loopwatch.processor.failures") == {("LookupError",): 1}


def test_model_spans_are_counted_whether_or_not_they_ask_for_tools() -> None:
    """A busy model without tool calls is how a blind detector is known; what was counted outlives the processor."""
    bench = rig(max_runs=7)
    tracer = bench.provider.get_tracer("model")
    for _ in range(3):
        with tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"}):
            pass
    assert bench.counts("loopwatch.model.calls") == {(): 3}
    assert bench.counts("loopwatch.run.capacity") == {(): 7}
    bench.processor.shutdown()
    assert bench.points("loopwatch.model.calls")[()].value == 3
    assert bench.points("loopwatch.run.capacity")[()].value == 0


def test_a_loop_through_several_tools_wastes_calls_of_each() -> None:
    """Otherwise the tool at which it is seen would have wasted more calls than it had."""
    bench = rig()
    with bench.agent():
        for _ in range(8):
            bench.call("read_order", '{"order": 1}', "The order waits for the policy to be found.")
            bench.call("find_policy", '{"topic": 1}', "The policy can be found once the order is read.")
    wasted = {tool: point.value for (tool,), point in bench.points("loopwatch.loop.wasted_calls").items()}
    assert abs(wasted["read_order"] - wasted["find_policy"]) <= 1
    assert 10 < sum(wasted.values()) < 16


def test_two_processors_count_together() -> None:
    """Several tracer providers may report to one meter provider: nothing is lost, nothing is doubled."""
    reader = InMemoryMetricReader()
    meter_provider = MeterProvider([reader], shutdown_on_exit=False)
    benches = [rig(meter_provider=meter_provider) for _ in range(2)]
    for bench in benches:
        bench.reader = reader
        loop(bench, 4)
    with benches[0].agent(), benches[1].agent():
        benches[0].call()
        benches[1].call()
        assert benches[0].counts("loopwatch.run.active") == {(): 2}
    assert benches[0].counts("loopwatch.tool.calls") == {("search_docs", "success"): 10}
    assert benches[0].counts("loopwatch.loop.signals") == {("search_docs", "identical", "warning"): 2}


LATE = """
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from otel_loopwatch.processor import LoopwatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(LoopwatchSpanProcessor())
reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader]))
attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
provider.get_tracer("t").start_span("execute_tool look", attributes=attributes).end()
scopes = reader.get_metrics_data().resource_metrics[0].scope_metrics
print(*sorted(m.name for scope in scopes for m in scope.metrics))
"""


def test_the_meter_provider_may_come_later() -> None:
    """Instruments made before the global meter provider is set work with it."""
    result = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True)
    assert {"loopwatch.tool.calls", "loopwatch.loop.signals", "loopwatch.run.active"} <= set(result.stdout.split())


@pytest.mark.parametrize("metric", names.METRICS, ids=lambda metric: metric.name)
def test_names_follow_the_conventions(metric: names.Metric) -> None:
    """Own namespace, no unit and no suffix in the name, buckets on histograms only."""
    assert metric.name.startswith("loopwatch.")
    assert not metric.name.endswith(("_total", "_seconds"))
    assert bool(metric.buckets) == (metric.kind is names.InstrumentKind.HISTOGRAM)
    assert list(metric.buckets) == sorted(metric.buckets)
