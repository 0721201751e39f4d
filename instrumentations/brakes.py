"""What runs inside an adapter's environment: plays loops through a real framework, and writes down what stopped them.

A script in ``adapters`` calls :func:`main` with how its agent is run; see README.md. Each scenario is played with a
span processor of ours on the global provider, and without.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import offline
import wire
from agent_server import AgentServer, Session
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from scenarios import ANSWER, LOOP, ORDER, OTHER_ORDER, OTHER_SEARCH, SEARCH, TRACK, Call, Step
from tools import Tool, new_tools

from otel_loopwatch import Action, Kind, Level, LoopHalted, LoopwatchSpanProcessor
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy
from otel_loopwatch.notes import BEGIN, REFUSED
from otel_loopwatch.settings import THRESHOLDS

AGENT = "support_agent"
INSTRUCTIONS = "You are a support agent."
QUESTION = "Can the kettle of order A-1001 be returned?"
WARNING = THRESHOLDS[Kind.IDENTICAL].warning
"""Equal searches until the first signal."""


def at_warning(action: Action) -> ResponsePolicy:
    """A policy that acts at the first signal."""
    return ResponsePolicy(actions={(Kind.IDENTICAL, Level.WARNING): action}, ahead=False)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Responses of the scripted model, and what the gate is told to do about the loop in them."""

    steps: tuple[Step, ...]
    policy: ResponsePolicy
    searches: int
    """How often the search must really run."""
    refused: int = 0
    """Refusals that the model must have read."""
    recovers: bool = False
    """The model heeds the first note it reads, and answers."""
    halts: bool = False


SCENARIOS: Mapping[str, Scenario] = {
    "nudged": Scenario(LOOP, at_warning(Action.NUDGE), WARNING, recovers=True),
    "blocked": Scenario(
        ((ORDER,), *[(SEARCH,)] * WARNING, (SEARCH,), (OTHER_SEARCH,), (OTHER_ORDER,), (SEARCH,)),
        at_warning(Action.BLOCK),
        WARNING + 1,
        refused=2,
    ),
    "halted": Scenario(LOOP, at_warning(Action.HALT), WARNING, halts=True),
    "climbed": Scenario(
        ((ORDER,), *[(SEARCH,)] * (WARNING + 6)), at_warning(Action.BLOCK), WARNING, refused=2, halts=True
    ),
    "ahead": Scenario(LOOP, replace(at_warning(Action.HALT), ahead=True), WARNING - 1, halts=True),
    "healthy": Scenario(((ORDER,), (SEARCH,), (OTHER_SEARCH,), *[(TRACK,)] * 4, (OTHER_ORDER,)), ResponsePolicy(), 2),
    "parallel": Scenario(((ORDER,), (SEARCH, SEARCH, OTHER_ORDER), (SEARCH, SEARCH)), ResponsePolicy(), 4),
}


class Reader(Session):
    """A scripted model that reads what it is told: how many notes and refusals, and, if it heeds them, it answers."""

    def __init__(self, name: str, steps: Sequence[Step], recovers: bool) -> None:
        super().__init__(name, steps)
        self.recovers = recovers
        self.notes = self.refusals = 0
        self.after_note = 0

    def reply(self, asked: object = None) -> wire.Reply:
        """The next response. ``asked`` is the request: what the model is shown, in any form."""
        text = json.dumps(asked, ensure_ascii=False, default=str)
        self.notes = max(self.notes, text.count(BEGIN))
        self.refusals = max(self.refusals, text.count(REFUSED))
        if self.recovers and self.notes:
            self.requests += 1
            return wire.Reply(f"{self.name}-{self.requests}", (), ANSWER)
        return super().reply()


@dataclass(frozen=True, slots=True)
class Task:
    """One run of an agent with a gate in its way."""

    name: str
    scenario: Scenario
    url: str
    """Base of the model's address; add ``/v1`` for OpenAI clients."""
    model: Reader
    """The model itself, for frameworks with an interface of their own: ``model.reply(messages)``."""
    tools: Mapping[str, Tool]
    gate: Gate
    agent: str = AGENT


def counters(reader: InMemoryMetricReader) -> Counter[str]:
    """Sums of our counters, by metric."""
    data = reader.get_metrics_data()
    metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics] if data else []
    summed: Counter[str] = Counter()
    for metric in metrics:
        for point in metric.data.data_points:
            if isinstance(point, NumberDataPoint):
                summed[metric.name] += int(point.value)
    return summed


@dataclass(frozen=True, slots=True)
class Stage:
    """Plays scenarios one after the other and describes each."""

    server: AgentServer
    play: Callable[[Task], Any]
    watched: bool
    """A span processor of ours is on the global provider."""
    meter: MeterProvider
    reader: InMemoryMetricReader
    spans: InMemorySpanExporter

    def perform(self, name: str, scenario: Scenario) -> dict[str, Any]:
        """One scenario, as a row of the results."""
        before = counters(self.reader)
        self.spans.clear()
        ran: Counter[str] = Counter()
        model = Reader(f"{name}-{self.watched}", scenario.steps, scenario.recovers)
        self.server.sessions[model.name] = model
        gate = Gate(scenario.policy, meter_provider=self.meter)
        task = Task(name, scenario, self.server.url(model), model, new_tools(ran), gate)
        answer, raised = _run(self.play, task)
        counted = counters(self.reader) - before
        return {
            "scenario": name,
            "watched": self.watched,
            "answer": answer,
            "raised": raised,
            "ran": dict(sorted(ran.items())),
            "requests": model.requests,
            "notes": model.notes,
            "refusals": model.refusals,
            "halts": counted["loopwatch.run.halts"],
            "actions": counted["loopwatch.control.actions"],
            "failures": counted["loopwatch.processor.failures"],
            "spans": len(self.spans.get_finished_spans()),
            "wrong": complaints(scenario, answer, raised, ran, model, counted),
        }


def complaints(
    scenario: Scenario, answer: str, raised: str, ran: Mapping[str, int], model: Reader, counted: Mapping[str, int]
) -> list[str]:
    """What is not as it must be, in words."""
    wrong = []
    if ran.get(SEARCH.tool, 0) != scenario.searches:
        wrong.append(f"the search ran {ran.get(SEARCH.tool, 0)} times instead of {scenario.searches}")
    if model.refusals != scenario.refused:
        wrong.append(f"the model read {model.refusals} refusals instead of {scenario.refused}")
    if scenario.halts and "search_docs gave the same result" not in answer + raised:
        wrong.append(f"the end does not carry the advice: {answer or raised!r}")
    if not scenario.halts and (raised or ANSWER not in answer):
        wrong.append(f"it did not end with its answer: {answer or raised!r}")
    if scenario.policy == ResponsePolicy() and model.notes:
        wrong.append("a healthy run was told something")
    if bool(counted.get("loopwatch.run.halts")) != scenario.halts:
        wrong.append(f"{counted.get('loopwatch.run.halts', 0)} halts were counted")
    if counted.get("loopwatch.processor.failures"):
        wrong.append("Loopwatch failed inside")
    return wrong


def _run(play: Callable[[Task], Any], task: Task) -> tuple[str, str]:
    """Run an agent, sync or async: its last words, and what it raised."""
    try:
        running = play(task)
        answer = asyncio.run(running) if inspect.iscoroutine(running) else running
    except LoopHalted as halted:
        return "", f"LoopHalted: {halted.advice}"
    except Exception as error:  # noqa: BLE001 - whatever a package raises belongs in the result
        return "", f"{type(error).__name__}: {error}"
    return str(answer), ""


def main(
    play: Callable[[Task], Any],
    instrument: Callable[[TracerProvider], object] = lambda provider: None,
    scenarios: Sequence[str] = tuple(SCENARIOS),
) -> None:
    """Play the scenarios; called with ``watched`` or ``alone`` and the file for the results, one JSON object a line.

    ``play(task)`` runs the agent once with the adapter around ``task.gate`` and gives its last words; it may be a
    coroutine function. ``instrument(provider)`` turns the framework's spans on.
    """
    watched, results = sys.argv[1] == "watched", Path(sys.argv[2])
    wanted = os.environ.get("SCENARIOS", "").split() or scenarios
    os.environ.setdefault("OPENAI_API_KEY", "none")
    os.environ.setdefault("ANTHROPIC_API_KEY", "none")
    offline.enforce()
    reader, spans = InMemoryMetricReader(), InMemorySpanExporter()
    meter = MeterProvider([reader])
    if watched:
        provider = TracerProvider()
        provider.add_span_processor(LoopwatchSpanProcessor(meter_provider=meter))
        provider.add_span_processor(SimpleSpanProcessor(spans))
        trace.set_tracer_provider(provider)
        instrument(provider)
    stage = Stage(AgentServer(), play, watched, meter, reader, spans)
    with results.open("a", encoding="utf-8") as file:
        for name in (name for name in scenarios if name in wanted):
            file.write(json.dumps(stage.perform(name, SCENARIOS[name])) + "\n")
            file.flush()
    sys.stdout.flush()
    os._exit(0)  # background threads of the packages are not waited for


__all__ = ["AGENT", "ANSWER", "INSTRUCTIONS", "QUESTION", "Call", "Scenario", "Task", "main"]
