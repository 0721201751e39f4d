import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any

import pytest
from live_agent import Rig, rig
from opentelemetry.sdk.trace import ConcurrentMultiSpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_loopwatch.model import LoopSignal, RunSummary

RUNS = 8


def looping(bench: Rig) -> None:
    """A run of ten equal calls."""
    with bench.agent():
        for _ in range(10):
            bench.call()


def assert_each_looped_once(bench: Rig, runs: int) -> None:
    """Every run got its own warning and critical signal, and nothing is left open."""
    assert bench.counts("loopwatch.loop.signals") == {
        ("search_docs", "identical", "critical"): runs,
        ("search_docs", "identical", "warning"): runs,
    }
    assert bench.counts("loopwatch.tool.calls") == {("search_docs", "success"): 10 * runs}
    assert bench.counts("loopwatch.run.ended") == {("looped",): runs}
    assert len(bench.processor._open) == 0


def test_runs_in_threads_do_not_mix() -> None:
    """Eight threads, each with its own run."""
    bench = rig()
    with ThreadPoolExecutor(RUNS) as pool:
        list(pool.map(lambda _: looping(bench), range(RUNS)))
    assert_each_looped_once(bench, RUNS)


def test_processors_called_on_pool_threads() -> None:
    """The SDK's concurrent multi-processor calls every hook on another thread."""
    bench = rig()
    bench.provider = TracerProvider(active_span_processor=ConcurrentMultiSpanProcessor(2), shutdown_on_exit=False)
    bench.provider.add_span_processor(bench.processor)
    bench.provider.add_span_processor(SimpleSpanProcessor(bench.after))
    looping(bench)
    bench.provider.shutdown()
    assert bench.counts("loopwatch.run.ended") == {("looped",): 1}
    marked = [span for span in bench.after.get_finished_spans() if "loopwatch.loop.kind" in (span.attributes or {})]
    assert len(marked) == 3


def test_runs_in_tasks_do_not_mix() -> None:
    """Agents in one event loop, interleaved at every call."""
    bench = rig()

    async def agent() -> None:
        with bench.agent():
            for _ in range(10):
                bench.call()
                await asyncio.sleep(0)

    async def main() -> None:
        await asyncio.gather(*(agent() for _ in range(RUNS)))

    asyncio.run(main())
    assert_each_looped_once(bench, RUNS)


def test_one_run_on_many_threads() -> None:
    """Calls of one agent that end on pool threads are all counted, and the run ends once."""
    bench = rig()
    with bench.agent(), ThreadPoolExecutor(RUNS) as pool:
        contexts = [contextvars.copy_context() for _ in range(64)]
        list(pool.map(lambda context: context.run(bench.call), contexts))
    assert bench.counts("loopwatch.tool.calls") == {("search_docs", "success"): 64}
    assert bench.counts("loopwatch.run.ended") in ({("looped",): 1}, {("clean",): 1})
    assert bench.counts("loopwatch.processor.failures") == {}


def test_a_hanging_hook_holds_up_its_own_run_only() -> None:
    """The hook is asked outside every lock."""
    release, entered = Event(), Event()

    def hang(signal: LoopSignal, run: RunSummary) -> None:
        if not entered.is_set():
            entered.set()
            assert release.wait(10)

    bench = rig(control_hook=hang)
    stuck = Thread(target=looping, args=(bench,))
    stuck.start()
    try:
        assert entered.wait(10)
        looping(bench)
        assert bench.counts("loopwatch.run.ended") == {("looped",): 1}
    finally:
        release.set()
        stuck.join()
    assert_each_looped_once(bench, 2)


@pytest.mark.parametrize("what", ["span", "run"])
def test_a_hook_may_make_spans_of_its_own(what: str) -> None:
    """A hook is ordinary code: what it does is seen like anything else."""

    def reenter(signal: LoopSignal, run: RunSummary) -> Any:
        if what == "span":
            bench.provider.get_tracer("hook").start_span("notify").end()
        else:
            with bench.agent("notifier"):
                bench.call("notify", '{"team": "agents"}')

    bench = rig(control_hook=reenter)
    looping(bench)
    assert bench.counts("loopwatch.control.hook.failures") == {}
    assert bench.counts("loopwatch.processor.failures") == {}
    assert len(bench.processor._open) == 0
