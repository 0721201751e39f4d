"""The loops that the gateway writes onto spans are those that the live processor writes, for the same runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gateway.downstreams import HttpServer
from gateway.whole import Running, marks_on, running, spans_of
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from real_runs import PATHS, steps
from real_runs import play as play_file
from stream.test_watch import TOLD_BY_TWO
from tracker.test_shared_spans import spans_in

from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.scenarios import SCENARIOS
from otel_loopwatch.scripted import CountingIds, play

OF_FILES = 1 if os.environ.get("LOOPWATCH_ALL_SPANS") else 12
"""With the variable set all files are played, which takes a minute."""
APART, AT_ONCE = 5, 1000
"""Spans per request."""
Run = Callable[[TracerProvider], object]


class Numbered(CountingIds):
    """Ids that no other run has, and that are the same when it is played again."""

    def __init__(self, run: int) -> None:
        super().__init__()
        self._last = run << 32


def written_live(run: Run, number: int) -> dict[int, ReadableSpan]:
    """The spans of a run by id, as the live processor leaves them."""
    kept = InMemorySpanExporter()
    played(run, number, LoopwatchSpanProcessor(), SimpleSpanProcessor(kept))
    return {span.get_span_context().span_id: span for span in kept.get_finished_spans()}  # type: ignore[union-attr]


def send(run: Run, number: int, exporter: SpanExporter, together: int) -> None:
    """The same run without any processor of ours, exported with so many spans to a request."""
    kept = InMemorySpanExporter()
    played(run, number, SimpleSpanProcessor(kept))
    spans = kept.get_finished_spans()
    for at in range(0, len(spans), together):
        assert exporter.export(spans[at : at + together]) is SpanExportResult.SUCCESS


def played(run: Run, number: int, *processors: SpanProcessor) -> None:
    """Play a run with these processors."""
    service = Resource({"service.name": f"service-{number}"})  # in one process they might be one call told twice
    provider = TracerProvider(resource=service, id_generator=Numbered(number), shutdown_on_exit=False)
    for processor in processors:
        provider.add_span_processor(processor)
    run(provider)


def from_file(path: Path) -> Run:
    """A run of a real framework, as its spans started and ended."""
    spans = {span.span_id: span for span in spans_in(path)}
    return lambda provider: play_file(provider, spans, steps(path))


def marks_live(span: ReadableSpan, prefix: str) -> dict[str, Any]:
    """What is written on a span."""
    found = {key: value for key, value in (span.attributes or {}).items() if key.startswith(prefix)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}


SCENARIO_RUNS: dict[str, Run] = {
    name: lambda provider, scenario=scenario: play(provider.get_tracer("x"), scenario)  # type: ignore[misc]
    for name, scenario in SCENARIOS.items()
}


def compare(
    tmp_path: Path,
    runs: dict[str, Run],
    over: Callable[[Running], SpanExporter] = Running.over_http,
    together: int = APART,
    prefix: str = "loopwatch.",
) -> tuple[int, int]:
    """Play runs in both ways; the number of spans, and of those with a loop."""
    downstream, live = HttpServer(), dict[int, ReadableSpan]()
    try:
        with running(tmp_path, downstream.url) as gateway:
            exporter = over(gateway)
            for number, run in enumerate(runs.values(), 1):
                live |= written_live(run, number)
                send(run, number, exporter, together)
        assert gateway.delivered
        received = [downstream.script.received.get() for _ in range(downstream.script.received.qsize())]
    finally:
        downstream.close()
    assert {each.path for each in received} == {"/v1/traces"}
    arrived = spans_of(*(each.body for each in received))
    assert arrived.keys() == live.keys()
    told = list(runs)
    different = {
        (told[(span_id >> 32) - 1], span.name): (here, there)
        for span_id, span in live.items()
        if (here := marks_live(span, prefix)) != (there := marks_on(arrived[span_id], prefix))
    }
    assert different == {}
    return len(live), sum("loopwatch.loop.kind" in marks_live(span, prefix) for span in live.values())


@pytest.mark.parametrize("over", [Running.over_http, Running.over_grpc], ids=["HTTP", "gRPC"])
def test_scripted_runs(tmp_path: Path, over: Callable[[Running], SpanExporter]) -> None:
    """Loops of every kind, and healthy work."""
    _, loops = compare(tmp_path, SCENARIO_RUNS, over)
    assert loops == 3 * 6 + 2


@pytest.mark.skipif(not PATHS, reason="no collection of spans beside the repository")
@pytest.mark.parametrize(("together", "prefix"), [(APART, "loopwatch.loop."), (AT_ONCE, "loopwatch.")])
def test_runs_of_real_frameworks(tmp_path: Path, together: int, prefix: str) -> None:
    """One file in :data:`OF_FILES`: no span differs in its loop, nor in anything else where its run came at once.

    Where one call is told by several spans, which of them is marked may depend on which came first; those whose outer
    span alone has the content, and comes among the last, are only the same at once.
    """
    late = TOLD_BY_TWO if together == APART else ()
    runs = {path.stem: from_file(path) for path in PATHS[::OF_FILES] if not path.name.startswith(late)}
    spans, loops = compare(tmp_path, runs, together=together, prefix=prefix)
    assert spans > 2000 // OF_FILES
    assert loops > 100 // OF_FILES
