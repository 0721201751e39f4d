"""A scenario played on a real tracer provider, told on the terminal as it happens."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span

from otel_loopwatch.cli.terminal import Paint, printable
from otel_loopwatch.control.hook import halt, observe
from otel_loopwatch.control.run import LoopHalted, current_run
from otel_loopwatch.model import Action, Level, LoopSignal, RunSummary
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.scenarios import Scenario, Step
from otel_loopwatch.scripted import CountingIds, play
from otel_loopwatch.settings import Options, Settings, ToolPolicy
from otel_loopwatch.telemetry import names

WIDTH = 100
STYLES = {Level.WARNING: "yellow", Level.CRITICAL: "red"}


class Story:
    """One scenario on a tracer provider of its own."""

    def __init__(self, scenario: Scenario, *, halting: bool, paint: Paint) -> None:
        self._scenario = scenario
        self._paint = paint
        self._hook = halt if halting else observe
        self._reader = InMemoryMetricReader()
        self._exporter = InMemorySpanExporter()
        self._told: list[tuple[LoopSignal, Action]] = []
        """Signals raised since the last call was printed, and what was decided."""

    def show(self) -> None:
        """Everything, from the question to the marked spans."""
        print(f"{self._paint('bold', self._scenario.question)}  ({self._scenario.about})\n")
        provider = self._provider()
        try:
            answer = play(
                provider.get_tracer("demo"),
                self._scenario,
                before_call=lambda: current_run().raise_if_halted(),
                after_call=self._show_call,
            )
            print(f"\n{self._paint('green', 'answered')}  {answer}")
        except LoopHalted as halted:
            print(f"\n{self._paint('red', 'halted')}  {halted}")
        provider.shutdown()
        self._show_metrics()
        self._show_spans()

    def _provider(self) -> TracerProvider:
        """What an application has, plus our processor, which is registered after the exporter on purpose."""
        provider = TracerProvider(sampler=ALWAYS_ON, id_generator=CountingIds(), shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        policies = tuple((tool, ToolPolicy(polling=True)) for tool in sorted(self._scenario.polling))
        meters = MeterProvider(metric_readers=[self._reader], shutdown_on_exit=False)
        options = Options(settings=Settings(tools=policies))
        provider.add_span_processor(LoopwatchSpanProcessor(options, control_hook=self._decide, meter_provider=meters))
        return provider

    def _decide(self, signal: LoopSignal, run: RunSummary) -> Action:
        action = self._hook(signal, run)
        self._told.append((signal, action))
        return action

    def _show_call(self, number: int, step: Step, span: Span) -> None:
        arguments = printable(json.dumps(step.arguments), 34)
        said = printable(step.error or step.result, 46)
        print(f"{number:3}  {step.tool:<14} {arguments:<34}  {self._paint('red' if step.error else 'dim', said)}")
        for signal, action in self._told:
            self._show_signal(signal, action)
        self._told.clear()

    def _show_signal(self, signal: LoopSignal, action: Action) -> None:
        head = f"{signal.level.value} {signal.kind.value}, action {action.value}: {signal.reason}"
        for line in textwrap.wrap(head, WIDTH - 5):
            print("     " + self._paint(STYLES[signal.level], line))
        for line in textwrap.wrap(f"advice to the model: {signal.advice}", WIDTH - 5):
            print("     " + line)

    def _show_metrics(self) -> None:
        print(f"\n{self._paint('bold', 'Metrics')}")
        for name, attributes, value in sorted(self._points(), key=str):
            labels = ", ".join(f"{key.rpartition('.')[2]}={value}" for key, value in sorted(attributes.items()))
            print(f"  {name}{{{labels}}} {value:g}")

    def _points(self) -> Iterator[tuple[str, Mapping[str, Any], float]]:
        """Counters that counted; every other series is exported, too, as 0."""
        data = self._reader.get_metrics_data()
        scopes = (scope for resource in data.resource_metrics for scope in resource.scope_metrics) if data else ()
        for metric in (metric for scope in scopes for metric in scope.metrics):
            for point in metric.data.data_points:
                if isinstance(point, NumberDataPoint) and point.value:
                    yield metric.name, point.attributes or {}, point.value

    def _show_spans(self) -> None:
        spans = self._exporter.get_finished_spans()
        marked = [s for s in spans if (s.attributes or {}).get(names.LOOP_DETECTED)]
        calls = [s for s in marked if (s.attributes or {}).get(names.CALL_OUTCOME)]
        for span in (*calls[-1:], *(s for s in marked if s not in calls)):
            self._show_span(span)

    def _show_span(self, span: ReadableSpan) -> None:
        print(f"\n{self._paint('bold', 'Span')} {span.name}, as exported")
        for key, value in sorted((span.attributes or {}).items()):
            if key.startswith("loopwatch."):
                print(f"  {key:<30} {json.dumps(value)}")
