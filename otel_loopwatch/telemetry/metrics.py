"""The instruments of the catalogue.

What happens on every call is a dictionary increment, exported by observable instruments: a synchronous ``add`` costs
half a span. What happens on a signal is rare and uses synchronous instruments, with the tool span's context, so that
exemplars point at it. Every series is born at 0, or an alert on its increase would miss the first event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Protocol

from opentelemetry.metrics import CallbackOptions, Meter, MeterProvider, get_meter, get_meter_provider
from opentelemetry.metrics import Observation as Point
from opentelemetry.trace import SpanContext

from otel_loopwatch.control.delivery import Delivery
from otel_loopwatch.control.hook import Decision
from otel_loopwatch.control.report import RunStatus, Termination
from otel_loopwatch.dialects import Limit
from otel_loopwatch.model import Action, Kind, Level, LoopSignal, Observation, Outcome, RunSummary, ToolCall
from otel_loopwatch.once import OncePer
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.instruments import Labelled, Tally
from otel_loopwatch.telemetry.waste import wasted_by_tool

MAX_NAME_CHARS = 128
ZERO_BORN_SERIES = 1600
"""Series of one counter made ahead of their events; the SDK keeps 2000 per instrument and sums the rest."""


class Source(Protocol):
    """What counts by itself and is read at collection: a span processor."""

    @property
    def live_runs(self) -> int:
        """Runs remembered at the moment."""

    @property
    def capacity(self) -> int:
        """Runs that can be remembered at once."""

    @property
    def model_calls(self) -> int:
        """Model spans seen."""

    @property
    def skipped(self) -> Mapping[str, int]:
        """Spans and calls that were not judged, by reason."""


def metrics_for(provider: MeterProvider | None) -> Metrics:
    """The instruments of a meter provider, by default the global one.

    Shared by all processors, since the SDK drops the callbacks of an instrument that is made twice.
    """
    return _METRICS(provider or get_meter_provider())


class Metrics:
    """All instruments. Methods are safe to call from any thread."""

    def __init__(self, provider: MeterProvider) -> None:
        self._sources: list[Source] = []
        self._max_tools = 0
        self._make_instruments(get_meter(names.SCOPE, meter_provider=provider))
        self.reset()

    def attach(self, source: Source, max_tools: int) -> None:
        """Report what ``source`` counts, and tell ``max_tools`` distinct tool names apart; the rest is ``_OTHER``."""
        self._sources.append(source)
        self.know_tools(max_tools)

    def know_tools(self, number: int) -> None:
        """Tell at least this many distinct tool names apart."""
        self._max_tools = max(self._max_tools, number)

    def detach(self, source: Source) -> None:
        """Let a source go, and keep what it counted."""
        self._skipped_before.update(source.skipped)
        self._models_before += source.model_calls
        self._sources.remove(source)

    def reset(self) -> None:
        """Start counting afresh, as a forked child does: what the parent counted, the parent exports."""
        self._lock = Lock()
        self._tools: dict[str, str] = {}
        self._skipped_before = Counter(dict.fromkeys(names.SKIPS, 0))
        self._models_before = 0
        for tally in vars(self).values():
            if isinstance(tally, Tally):
                tally.reset()
        for status in RunStatus:
            if status is not RunStatus.LIMIT_REACHED:
                self._ended.add(0, status.value, None, None)
        for limit in Limit:
            self._ended.add(0, RunStatus.LIMIT_REACHED.value, limit.value, None)
        for reason in names.EVICTIONS:
            self._evicted.add(0, reason)
        for result in Delivery:
            self._deliveries.add(0, result.value)
        for tally in (self._failures, self._hook_failures):
            tally.add(0, names.OTHER)

    def called(self, call: ToolCall, seen: Observation) -> None:
        """A call was judged, and with it some are newly known to have brought nothing."""
        self._calls.add(1, self.tool(call.tool), seen.outcome.value)
        if seen.wasted:
            for name, number in wasted_by_tool(call, seen).items():
                self._waste(self.tool(name), number, call)

    def _waste(self, tool: str, number: int, like: ToolCall) -> None:
        self._wasted_calls.add(number, tool)
        self._wasted_seconds.add(number * max(0, like.end_ns - like.start_ns) / 1e9, tool)
        self._wasted_tokens.add(number * max(0, like.tokens), tool)

    def signalled(self, signal: LoopSignal, span: SpanContext | None) -> None:
        """A loop was signalled at the call of ``span``."""
        tool = self._tool_of(signal)
        self._signals(1, tool, signal.kind.value, signal.level.value, span=span)
        self._attempts(signal.count * signal.period, tool, signal.level.value, span=span)
        self._recoveries(0, tool, signal.kind.value)

    def recovered(self, signal: LoopSignal, span: SpanContext | None) -> None:
        """The run moved on from a loop that was signalled."""
        self._recoveries(1, self._tool_of(signal), signal.kind.value, span=span)

    def halted(self, signal: LoopSignal | None, span: SpanContext | None) -> None:
        """A run was halted because of ``signal``, or as somebody elsewhere decided: that is no kind of loop."""
        of_loop = (self._tool_of(signal), signal.kind.value) if signal is not None else (names.OTHER, names.OTHER)
        self._halts(1, *of_loop, span=span)

    def ended(
        self,
        run: RunSummary,
        status: RunStatus,
        span: SpanContext | None,
        limit: Limit | None = None,
        termination: Termination | None = None,
    ) -> None:
        """A run came to its end, seen at ``span``: by a framework's ``limit``, or as its guard says."""
        by_limit = None if limit is None else limit.value
        self._ended.add(1, status.value, by_limit, None if termination is None else termination.value)
        self._run_calls(run.calls, status.value, span=span)
        self._run_seconds(max(0, run.last_ns - run.first_ns) / 1e9, status.value, span=span)

    def evicted(self, reason: str, runs: int = 1) -> None:
        """Runs were dropped before their end was seen."""
        self._evicted.add(runs, reason)

    def asked(self, decision: Decision, span: SpanContext | None) -> None:
        """The control hook was asked, and decided or failed."""
        answer = decision.action.value if decision.error is None else names.OTHER
        self._hook_seconds(decision.seconds, answer, span=span)
        if decision.error is not None:
            self._hook_failures.add(1, decision.error)

    def acted(self, signal: LoopSignal, action: Action) -> None:
        """Something was done about the loop of ``signal``."""
        self._actions.add(1, self._tool_of(signal), action.value)

    def delivered(self, result: Delivery) -> None:
        """The delivery of a stop report came to its end."""
        self._deliveries.add(1, result.value)

    def failed(self, error_type: str) -> None:
        """Something of ours raised."""
        self._failures.add(1, error_type)

    def tool(self, name: str) -> str:
        """The label value of a tool: cut, and bounded in number, because models and servers make names up."""
        name = name[:MAX_NAME_CHARS]
        label = self._tools.get(name)
        return self._new_tool(name) if label is None else label

    def _tool_of(self, signal: LoopSignal) -> str:
        """The tool whose call closed the round; a budget of turns or tokens is spent by none."""
        return self.tool(signal.tools[-1]) if signal.tools else names.OTHER

    def _new_tool(self, name: str) -> str:
        with self._lock:
            full = len(self._tools) >= self._max_tools
            label = names.OTHER if full else self._tools.setdefault(name, name)
            first = not full or names.OTHER not in self._tools
            if full:
                self._tools.setdefault(names.OTHER, names.OTHER)
        if first:
            self._bear(label)
        return label

    def _bear(self, tool: str) -> None:
        """Make the series of a tool, at 0."""
        for outcome in Outcome:
            self._calls.add(0, tool, outcome.value)
        for tally in (self._wasted_calls, self._wasted_seconds, self._wasted_tokens):
            tally.add(0, tool)
        for action in (Action.NUDGE, Action.BLOCK, Action.HALT):
            self._actions.add(0, tool, action.value)
        if len(self._tools) * len(Kind) * len(Level) > ZERO_BORN_SERIES:
            return
        for kind in Kind:
            self._halts(0, tool, kind.value)
            for level in Level:
                self._signals(0, tool, kind.value, level.value)

    def _make_instruments(self, meter: Meter) -> None:
        self._calls = Tally(meter, names.TOOL_CALLS)
        self._wasted_calls = Tally(meter, names.LOOP_WASTED_CALLS)
        self._wasted_seconds = Tally(meter, names.LOOP_WASTED_DURATION)
        self._wasted_tokens = Tally(meter, names.LOOP_WASTED_TOKENS)
        self._ended = Tally(meter, names.RUN_ENDED)
        self._evicted = Tally(meter, names.RUN_EVICTED)
        self._hook_failures = Tally(meter, names.CONTROL_HOOK_FAILURES)
        self._actions = Tally(meter, names.CONTROL_ACTIONS)
        self._deliveries = Tally(meter, names.WEBHOOK_DELIVERIES)
        self._failures = Tally(meter, names.PROCESSOR_FAILURES)
        self._signals = Labelled(meter, names.LOOP_SIGNALS)
        self._attempts = Labelled(meter, names.LOOP_ATTEMPTS)
        self._recoveries = Labelled(meter, names.LOOP_RECOVERIES)
        self._halts = Labelled(meter, names.RUN_HALTS)
        self._run_calls = Labelled(meter, names.RUN_TOOL_CALLS)
        self._run_seconds = Labelled(meter, names.RUN_DURATION)
        self._hook_seconds = Labelled(meter, names.CONTROL_HOOK_DURATION)
        self._observe_state(meter)

    def _observe_state(self, meter: Meter) -> None:
        """What others hold and we only report."""
        for metric, read in ((names.RUN_ACTIVE, self.observe_active), (names.RUN_CAPACITY, self.observe_capacity)):
            meter.create_observable_up_down_counter(metric.name, [read], metric.unit, metric.description)
        for metric, read in (
            (names.MODEL_CALLS, self.observe_models),
            (names.PROCESSOR_SKIPPED, self.observe_skipped),
        ):
            meter.create_observable_counter(metric.name, [read], metric.unit, metric.description)

    def observe_active(self, _: CallbackOptions) -> list[Point]:
        """Live runs, for the SDK."""
        return self._observe(lambda: [Point(sum(source.live_runs for source in self._sources))])

    def observe_capacity(self, _: CallbackOptions) -> list[Point]:
        """Room for runs, for the SDK."""
        return self._observe(lambda: [Point(sum(source.capacity for source in self._sources))])

    def observe_models(self, _: CallbackOptions) -> list[Point]:
        """Model spans, for the SDK."""
        return self._observe(lambda: [Point(self._models_before + sum(source.model_calls for source in self._sources))])

    def observe_skipped(self, _: CallbackOptions) -> list[Point]:
        """Counts of the span tracker, for the SDK."""
        return self._observe(lambda: [Point(n, {names.REASON: why}) for why, n in self._all_skipped().items()])

    def _all_skipped(self) -> Mapping[str, int]:
        total = self._skipped_before.copy()
        for source in self._sources:
            total.update(source.skipped)
        return total

    def _observe(self, read: Callable[[], list[Point]]) -> list[Point]:
        try:
            return read()
        except Exception as error:  # noqa: BLE001 - older SDKs do not catch what a callback raises
            self.failed(type(error).__qualname__)
            return []


_METRICS: OncePer[MeterProvider, Metrics] = OncePer(Metrics)
