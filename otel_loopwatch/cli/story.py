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

from otel_loopwatch.cli.terminal import STYLES, Paint, printable
from otel_loopwatch.control.hook import halt, observe
from otel_loopwatch.control.run import LoopHalted, current_run
from otel_loopwatch.model import Action, LoopSignal, RunSummary
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.scenarios import Scenario, Step
from otel_loopwatch.scripted import CountingIds, play
from otel_loopwatch.settings import Options, Settings, ToolPolicy
from otel_loopwatch.telemetry import names

WIDTH = 100
RUN_PREFIX = "loopwatch.run."


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
        arguments = printable(json.dumps(step.arguments), 44)
        said = printable(step.error or step.result, 33)
        print(f"{number:3}  {step.tool:<14} {arguments:<44}  {self._paint('red' if step.error else 'dim', said)}")
        for signal, action in self._told:
            self._show_signal(signal, action)
        self._told.clear()

    def _show_signal(self, signal: LoopSignal, action: Action) -> None:
        head = f"{signal.level.value.upper()} {signal.kind.value}, action {action.value}"
        print(f"     {self._paint(STYLES[signal.level], head)}")
        _indented(f"advice to the model: {signal.advice}", 5)

    def _show_metrics(self) -> None:
        print(f"\n{self._paint('bold', 'Metrics')}, as exported (those that are 0 left out)")
        for name, attributes, value in sorted(self._points(), key=str):
            labels = ", ".join(f"{key}={value}" for key, value in sorted(attributes.items()))
            print(f"  {name} {value:g}  {self._paint('dim', labels)}")

    def _points(self) -> Iterator[tuple[str, Mapping[str, Any], float]]:
        """Counters that counted."""
        data = self._reader.get_metrics_data()
        scopes = (scope for resource in data.resource_metrics for scope in resource.scope_metrics) if data else ()
        for metric in (metric for scope in scopes for metric in scope.metrics):
            for point in metric.data.data_points:
                if isinstance(point, NumberDataPoint) and point.value:
                    yield metric.name, point.attributes or {}, point.value

    def _show_spans(self) -> None:
        """The last call that was marked, and the agent's span."""
        marked = [_own_attributes(span) for span in self._exporter.get_finished_spans()]
        calls = [(name, own) for name, own in marked if names.LOOP_DETECTED in own and names.CALL_OUTCOME in own]
        agents = [(name, own) for name, own in marked if names.RUN_STATUS in own]
        for name, own in calls[-1:]:
            self._show_attributes(name, own)
        for name, own in agents:
            report = own.pop(names.RUN_STOP_REPORT, None)
            self._show_attributes(name, {key: own[key] for key in own if key.startswith(RUN_PREFIX)})
            if report is not None:
                print(f"\n{self._paint('bold', 'Stop report')}, in {names.RUN_STOP_REPORT}")
                print(textwrap.indent(json.dumps(json.loads(report), indent=2), "  "))

    def _show_attributes(self, name: str, attributes: Mapping[str, Any]) -> None:
        print(f"\n{self._paint('bold', 'Span')} {name}, as exported")
        for key, value in sorted(attributes.items()):
            _indented(f"{key:<30} {json.dumps(value)}", 2, 33)


def _own_attributes(span: ReadableSpan) -> tuple[str, dict[str, Any]]:
    """Name of a span, and what Loopwatch wrote onto it."""
    return span.name, {key: value for key, value in (span.attributes or {}).items() if key.startswith("loopwatch.")}


def _indented(text: str, indent: int, hanging: int | None = None) -> None:
    first, rest = " " * indent, " " * (indent if hanging is None else hanging)
    print(textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False))
