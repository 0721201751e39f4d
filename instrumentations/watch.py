"""What runs inside a row's environment: plays the scenarios through a real package, and writes down what was seen.

A script calls :func:`main` with how its package is instrumented and how its agent is run; see README.md.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import offline
from agent_server import AgentServer, Session
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from scenarios import AGENT_SCENARIOS, SCENARIOS, Scenario
from tools import Tool, new_tools

from otel_loopwatch import LoopSignal, LoopwatchSpanProcessor, RunSummary

AGENT = "support_agent"
RESEARCHER = "researcher"
INSTRUCTIONS = "You are a support agent."
QUESTION = "Can the kettle of order A-1001 be returned?"


@dataclass(frozen=True, slots=True)
class Task:
    """One run of an agent: its model, its tools, and how it is to behave."""

    name: str
    """Of the scenario."""
    scenario: Scenario
    url: str
    """Base of the model's address; add ``/v1`` for OpenAI clients."""
    session: Session
    """The model itself, for frameworks with an interface of their own."""
    tools: Mapping[str, Tool]
    agent: str = AGENT
    researcher: Task | None = None
    """The sub-agent's run, behind the tool ``ask_researcher``."""
    provider: TracerProvider | None = None
    """Where :meth:`Watch.provider` made one: for the application's own spans."""


class Watch:
    """Loopwatch between two exporters, and what came out of all three."""

    def __init__(self) -> None:
        self.before, self.after = InMemorySpanExporter(), InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        self.signals: list[dict[str, Any]] = []
        self.loopwatch = LoopwatchSpanProcessor(control_hook=self._note, meter_provider=MeterProvider([self.reader]))
        self.tracer_provider: TracerProvider | None = None

    @property
    def processors(self) -> tuple[SpanProcessor, ...]:
        """For packages that make the provider themselves: an exporter, Loopwatch, an exporter."""
        return SimpleSpanProcessor(self.before), self.loopwatch, SimpleSpanProcessor(self.after)

    def provider(self, *earlier: SpanProcessor) -> TracerProvider:
        """A new global provider with everything in it, as most applications have; ``earlier`` ones come first."""
        self.tracer_provider = TracerProvider()
        for processor in earlier:
            self.tracer_provider.add_span_processor(processor)
        self.add_to(self.tracer_provider)
        trace.set_tracer_provider(self.tracer_provider)
        return self.tracer_provider

    def add_to(self, provider: TracerProvider) -> None:
        """Register everything with a provider that the package made."""
        for processor in self.processors:
            provider.add_span_processor(processor)

    def clear(self) -> None:
        """Forget what was seen; counters go on, see :meth:`counts`."""
        self.signals.clear()
        self.before.clear()
        self.after.clear()

    def counts(self, metric: str, label: str | None = None) -> Counter[str]:
        """A counter's values so far, by one label."""
        data = self.reader.get_metrics_data()
        metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics] if data else []
        counted: Counter[str] = Counter()
        points = (point for m in metrics if m.name == metric for point in m.data.data_points)
        for point in (point for point in points if isinstance(point, NumberDataPoint)):
            counted[str((point.attributes or {}).get(label or "", ""))] += int(point.value)
        return counted

    def _note(self, signal: LoopSignal, run: RunSummary) -> None:
        self.signals.append(
            {
                "signal": f"{signal.kind.value} {signal.level.value} {'+'.join(signal.tools)} {signal.call}",
                "evidence": signal.evidence.value,
                "agent": signal.agent,
                "turns": run.turns,
            }
        )


def marks(spans: Iterable[ReadableSpan]) -> dict[str, int]:
    """Spans that carry our attributes: calls, and loops."""
    carried = [span.attributes or {} for span in spans]
    return {
        "calls": sum("loopwatch.call.outcome" in attributes for attributes in carried),
        "loops": sum("loopwatch.loop.detected" in attributes for attributes in carried),
    }


@dataclass(frozen=True, slots=True)
class Stage:
    """Plays scenarios one after the other and describes each."""

    watch: Watch
    server: AgentServer
    play: Callable[[Task], Any]
    flush: Callable[[], object]

    def perform(self, name: str) -> dict[str, Any]:
        """One scenario, as a row of the results."""
        self.watch.clear()
        ran: Counter[str] = Counter()
        task, counted = self._task(name, ran), self._counted()
        error = _run(self.play, task)
        self.flush()
        calls, limits, failures, skipped = (now - then for now, then in zip(self._counted(), counted, strict=True))
        return {
            "scenario": name,
            "signals": list(self.watch.signals),
            "calls": dict(sorted(calls.items())),
            "ran": dict(sorted(ran.items())),
            "limits": [limit for limit in limits.elements() if limit],
            "model_calls": sum(s.requests for n, s in self.server.sessions.items() if n.split(".")[0] == name),
            "spans": len(self.watch.before.get_finished_spans()),
            "marked_before": marks(self.watch.before.get_finished_spans()),
            "marked_after": marks(self.watch.after.get_finished_spans()),
            "failures": dict(failures),
            "skipped": dict(skipped),
            "error": error,
            "left_the_machine": sorted(set(offline.tried)),
        }

    def _task(self, name: str, ran: Counter[str]) -> Task:
        scenario, tools, provider = SCENARIOS[name], new_tools(ran), self.watch.tracer_provider
        researcher = None
        if scenario.inner:
            session = self.server.open(f"{name}.inner", scenario.inner)
            researcher = Task(name, scenario, self.server.url(session), session, tools, RESEARCHER, provider=provider)
        session = self.server.open(name, scenario.steps)
        return Task(name, scenario, self.server.url(session), session, tools, researcher=researcher, provider=provider)

    def _counted(self) -> tuple[Counter[str], ...]:
        return (
            self.watch.counts("loopwatch.tool.calls", "gen_ai.tool.name"),
            self.watch.counts("loopwatch.run.ended", "loopwatch.run.limit"),
            self.watch.counts("loopwatch.processor.failures", "error.type"),
            self.watch.counts("loopwatch.processor.skipped", "loopwatch.reason"),
        )


def _run(play: Callable[[Task], Any], task: Task) -> str | None:
    """Run an agent, sync or async; what it raised, if it did."""
    try:
        running = play(task)
        if inspect.iscoroutine(running):
            asyncio.run(running)
    except Exception as error:  # noqa: BLE001 - whatever a package raises belongs in the result
        return f"{type(error).__name__}: {str(error)[:200]}"
    return None


def main(
    set_up: Callable[[Watch, str], object],
    play: Callable[[Task], Any],
    scenarios: Iterable[str] = AGENT_SCENARIOS,
    flush: Callable[[], object] = lambda: None,
) -> None:
    """Play the scenarios; called with the row's variant and the file for the results, one JSON object a line.

    ``set_up(watch, variant)`` registers the processors and instruments the package, as its users would. ``play(task)``
    runs the agent once; it may be a coroutine function. ``flush`` waits until the package has told all its spans.
    """
    variant, results = sys.argv[1], Path(sys.argv[2])
    wanted = os.environ.get("SCENARIOS", "").split() or scenarios
    os.environ.setdefault("OPENAI_API_KEY", "none")
    os.environ.setdefault("ANTHROPIC_API_KEY", "none")
    offline.enforce()
    watch = Watch()
    set_up(watch, variant)
    stage = Stage(watch, AgentServer(), play, flush)
    with results.open("a", encoding="utf-8") as file:
        for name in (name for name in scenarios if name in wanted):
            file.write(json.dumps(stage.perform(name)) + "\n")
            file.flush()
    sys.stdout.flush()
    os._exit(0)  # background threads of the packages are not waited for
