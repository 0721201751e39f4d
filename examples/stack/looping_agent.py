"""An agent at work for ever: good runs and stuck ones in turn, told by OTLP as any application tells of its own.

The variables of OpenTelemetry say where to: ``OTEL_EXPORTER_OTLP_ENDPOINT``, by default http://localhost:4318;
``--console`` prints instead. The runs are scripted, so there is no model and no key.
"""

import argparse
import os
import signal
import time
from collections.abc import Iterator
from itertools import cycle, islice
from threading import Event

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, MetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.trace import Tracer

from otel_loopwatch import Action, Kind, LoopHalted, LoopSignal, LoopwatchSpanProcessor, RunSummary, current_run
from otel_loopwatch.scenarios import SCENARIOS, Scenario
from otel_loopwatch.scripted import play

GOOD = [scenario for scenario in SCENARIOS.values() if scenario.healthy]
STUCK = [scenario for scenario in SCENARIOS.values() if not scenario.healthy]
POLLING = {tool: {"polling": True} for scenario in GOOD for tool in scenario.polling}


def careful_with_money(loop: LoopSignal, run: RunSummary) -> Action:
    """Stop who pays twice; watch everything else."""
    return Action.HALT if loop.kind is Kind.DUPLICATE_WRITE else Action.CONTINUE


def shift() -> Iterator[Scenario]:
    """What the agent is asked: two tasks it can do, then one it cannot, and so on."""
    good, stuck = cycle(GOOD), cycle(STUCK)
    while True:
        yield from (next(good), next(good), next(stuck))


def answer(tracer: Tracer, scenario: Scenario) -> str:
    """What the agent says of a run that ends now, or why it was stopped."""
    started = time.time_ns() - sum(int(step.after_s * 1e9) for step in scenario.steps)
    try:
        return play(tracer, scenario, before_call=lambda: current_run().raise_if_halted(), start_ns=started)
    except LoopHalted as halted:
        return f"halted: {halted.report.resume_condition}"


def exporters(console: bool) -> tuple[SpanExporter, MetricExporter]:
    """Where spans and metrics go."""
    return (ConsoleSpanExporter(), ConsoleMetricExporter()) if console else (OTLPSpanExporter(), OTLPMetricExporter())


def work(runs: int | None, pause_s: float, console: bool, over: Event) -> None:
    """Runs, until they are done or ``over`` is set."""
    spans, metrics = exporters(console)
    meters = MeterProvider([PeriodicExportingMetricReader(metrics)])
    tracers = TracerProvider()
    tracers.add_span_processor(BatchSpanProcessor(spans))
    tracers.add_span_processor(
        LoopwatchSpanProcessor(control_hook=careful_with_money, meter_provider=meters, tools=POLLING)
    )
    for scenario in islice(shift(), runs):
        print(f"{scenario.name}: {answer(tracers.get_tracer('agent'), scenario)}", flush=True)
        if over.wait(pause_s):
            break
    meters.shutdown()  # before the processor whose numbers it exports
    tracers.shutdown()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, metavar="N", help="stop after N runs; without it, never")
    parser.add_argument("--pause", type=float, default=1.0, metavar="SECONDS", help="between runs, 1 by default")
    parser.add_argument("--console", action="store_true", help="print spans and metrics")
    options = parser.parse_args()
    os.environ.setdefault("OTEL_SERVICE_NAME", "support-agent")
    over = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    work(options.runs, options.pause, options.console, over)


if __name__ == "__main__":
    main()
