"""The gate: every tool call of an agent passes here before it executes, and its result on the way back to the model.

Adapters of frameworks and the guard put it into the agent's way. It sees tools, arguments and results themselves, so it
needs no span; where a span processor watches the same run, the two know of each other's halts.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from msgspec import structs
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import get_current_span

from otel_loopwatch import config as configuration
from otel_loopwatch import notes
from otel_loopwatch.canonical import text_of
from otel_loopwatch.control.again import Request, request_of
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import ControlHook, Elsewhere, decide, elsewhere, innermost, is_dry, resolve_hook
from otel_loopwatch.control.identity import RunIdentity
from otel_loopwatch.control.ladder import Ladder
from otel_loopwatch.control.outlet import Outlet
from otel_loopwatch.control.policy import AS_TOLD, ResponsePolicy
from otel_loopwatch.control.report import StopReport, Termination, status_of, stop_report
from otel_loopwatch.control.run import LoopHalted, current_run
from otel_loopwatch.control.told import advice_of, report_of
from otel_loopwatch.control.webhook import webhook_for
from otel_loopwatch.engine import Engine
from otel_loopwatch.isolation import Guarded
from otel_loopwatch.model import Action, Kind, Level, LoopSignal, ModelTurn, Outcome, RunSummary, ToolCall
from otel_loopwatch.settings import Options
from otel_loopwatch.telemetry.metrics import metrics_for

MAX_DECISIONS = 256
"""Decisions remembered per run, the newest."""
KEPT_RESULT = 16_384
"""Characters of a result kept to tell what the next such call would bring; longer ones are not kept."""
UPCOMING = "Once more, and this holds:"
"""Before the advice about a loop that a call was not allowed to complete."""
FOR_REHEARSALS = 16
"""Requests of which the latest result is kept."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One decision about a run, for those who look back."""

    at_ns: int
    action: Action
    kind: Kind | None
    level: Level | None
    tools: tuple[str, ...]
    why: str
    dry_run: bool = False
    """It was not carried out."""
    by: str = "loopwatch"


@dataclass(frozen=True, slots=True)
class Passing:
    """How a call passes: whether it may execute, and what the model is told if not."""

    call: ToolCall
    action: Action = Action.CONTINUE
    """CONTINUE, or BLOCK or HALT: it must not execute."""
    message: str = ""
    """Instead of the result, for the model."""
    reason: str = ""
    """Why it must not execute, for people, where it is for no loop."""

    @property
    def refused(self) -> bool:
        """Whether the call must not execute."""
        return self.action is not Action.CONTINUE

    @property
    def halted(self) -> bool:
        """Whether the run is to end."""
        return self.action is Action.HALT


class Gate(Guarded):
    """Decides about the tool calls of any number of runs; may be used from any thread.

    ``control`` is a :class:`ResponsePolicy`, any control hook, or the name of a built-in one; ``DryRun`` around it has
    every decision recorded (``decisions`` of the run, spans, log) and none carried out. The other arguments are those
    of the span processor.

    :raises ValueError: naming the argument, its value and the rule it breaks.
    """

    def __init__(
        self,
        control: ControlHook | str | None = None,
        options: Options | None = None,
        *,
        meter_provider: MeterProvider | None = None,
        config: str | None = None,
        clock: Callable[[], int] = time.time_ns,
        **arguments: Any,
    ) -> None:
        super().__init__()
        self.options = options or configuration.load(config, **arguments)
        self.hook = resolve_hook(self.options.control.value if control is None else control)
        inner = innermost(self.hook)
        self.policy = inner if isinstance(inner, ResponsePolicy) else AS_TOLD
        self.dry_run = is_dry(self.hook)
        self.elsewhere = elsewhere(self.hook)
        self.clock = clock
        self.enabled = not self.options.disabled
        self._metrics = metrics_for(meter_provider)
        self._metrics.know_tools(self.options.max_tool_names)
        self.outlet = Outlet(self._metrics, webhook_for(self.options.webhook))
        self.engine = Engine(self.options.settings, on_evicted=self._evicted)
        self._runs: OrderedDict[str, GatedRun] = OrderedDict()
        self._lock = Lock()

    def run(self, key: str, agent: str | None = None) -> GatedRun:
        """The run of a key, made at its first use; the least recently used one makes room."""
        with self._lock:
            run = self._runs.get(key)
            if run is None:
                run = self._runs[key] = GatedRun(self, key, agent)
            self._runs.move_to_end(key)
            if len(self._runs) > self.options.settings.max_runs:
                self._runs.popitem(last=False)
        return run

    def forget(self, key: str) -> None:
        """The run ended."""
        with self._lock:
            self._runs.pop(key, None)

    def __len__(self) -> int:
        return len(self._runs)

    def _evicted(self, reason: str, run: RunSummary) -> None:
        self.forget(run.run)


class GatedRun:
    """One run at the gate. Calls pass in three steps: :meth:`before`, the call itself, :meth:`after`."""

    def __init__(self, gate: Gate, key: str, agent: str | None = None) -> None:
        self.key = key
        self.agent = agent
        self._gate = gate
        settings = gate.options.settings
        self._ladder = Ladder(gate.policy, int(settings.patient_gap_s * 1e9))
        self._lock = Lock()
        self._turn = 0
        self._decisions: deque[Taken] = deque(maxlen=MAX_DECISIONS)
        self._results: OrderedDict[tuple[int, int | None], str] = OrderedDict()
        self._halted: LoopHalted | None = None
        self._heard = 0
        """Version of the last decision heard from elsewhere."""
        self._trace_id = ""

    # What the agent's framework tells and asks.

    def before_model(self, tokens: int = 0) -> StopReport | None:
        """The model is about to be asked: calls from here on are one response's. Gives the report of a halted run."""
        self._gate.safely(lambda: self._turned(tokens))
        self._hear()
        return self.report()

    def before(self, tool: str, arguments: object = None, call_id: str | None = None) -> Passing:
        """A call is about to execute. ``arguments`` as JSON text or values; None where they are unknown."""
        call = ToolCall(
            run=self.key,
            tool=tool,
            arguments=arguments,
            agent=self.agent,
            call_id=call_id,
            batch=self._turn or None,
            start_ns=self._gate.clock(),
        )
        return self._gate.safely(lambda: self._decide(call)) or Passing(call)

    def after(
        self, passing: Passing, result: object = None, error: object = None, outcome: Outcome | None = None
    ) -> str | None:
        """A call returned ``result`` or failed with ``error``; the note to be added for the model, or None.

        A refused call has nothing to tell: of it, nothing is taken in.
        """
        if passing.refused:
            return None
        return self._gate.safely(lambda: self._judge(passing.call, result, error, outcome))

    def answer(self, passing: Passing, result: object) -> object:
        """The result as the model is to see it: as it is, or as text with a note at its end."""
        note = self.after(passing, result)
        return result if note is None else notes.added(text_of(result), note)

    def end(self, termination: Termination | None = None) -> None:
        """The run came to its end: it is counted and forgotten. A guard knows why it ended."""
        self._gate.safely(lambda: self._end(termination))

    # What the application asks and people decide.

    @property
    def halted(self) -> bool:
        """Whether the run is to end, by this gate, by a span processor that watches it or as decided elsewhere."""
        self._hear()
        return self._halted is not None or current_run().halted

    def report(self) -> StopReport | None:
        """The stop report of a halted run."""
        return self._halted.report if self._halted is not None else current_run().report()

    @property
    def farewell(self) -> str:
        """What a halted run says at its end, with the advice; empty where it is not halted."""
        if self._halted is not None:
            return notes.farewell(self._halted.advice)
        report = current_run().report()
        return notes.farewell(f"{report.reason} {report.resume_condition}") if report is not None else ""

    def raise_if_halted(self) -> None:
        """Raise :class:`LoopHalted` if the run is halted."""
        self._hear()
        if self._halted is not None:
            raise LoopHalted(self._halted.signal, self._halted.report, self._halted.advice)
        current_run().raise_if_halted()

    @property
    def decisions(self) -> tuple[Taken, ...]:
        """What was decided so far, the oldest first; in a dry run, what would have been."""
        return tuple(self._decisions)

    def progress(self, version: int) -> None:
        """Declare progress: a version above all earlier ones starts the judging of the run afresh."""
        self._gate.engine.progress(self.key, version)
        with self._lock:
            self._ladder.moved_on()

    def go_on(self, by: str) -> None:
        """Somebody said "go on": a halt is lifted, and what is known of the run stays known."""
        current_run().go_on()
        with self._lock:
            self._halted = None
            self._ladder.go_on()
            self._note(Action.CONTINUE, None, by, "go on")

    def always_allow(self, by: str) -> None:
        """Somebody said "always": the loops of now are refused no more. The last resort is not switched off by that."""
        with self._lock:
            self._ladder.allow()
            self._note(Action.CONTINUE, None, by, "always allow")

    # How it decides.

    def _turned(self, tokens: int) -> None:
        now = self._gate.clock()
        self._turn += 1
        turn = ModelTurn(run=self.key, start_ns=now, end_ns=now, tokens=tokens)
        for signal in self._gate.engine.observe_turn(turn):
            self._signalled(signal)

    def _decide(self, call: ToolCall) -> Passing:
        told = self._hear()
        if self._halted is not None or current_run().halted:
            return Passing(call, Action.HALT, self.farewell)
        if told is not None and told.action is Action.BLOCK:
            return Passing(call, Action.BLOCK, notes.refusal(told.advice), told.reason)
        request = self._request(call)
        with self._lock:
            met = self._ladder.refuse(request)
        if met is None and self._foresees(call, request):
            with self._lock:
                met = self._ladder.refuse(request)
        return self._refuse(call, *met) if met is not None else Passing(call)

    def _refuse(self, call: ToolCall, action: Action, signal: LoopSignal) -> Passing:
        if action is Action.HALT:
            self._halt(signal)
        else:
            self._act(Action.BLOCK, signal)
        if self._gate.dry_run:
            return Passing(call)
        return Passing(call, action, self.farewell if action is Action.HALT else notes.refusal(signal.advice))

    def _foresees(self, call: ToolCall, request: Request) -> bool:
        """Whether this call would complete a loop, if it gave what it gave last; the ladder then knows of it."""
        last = self._results.get((request.tool, request.arguments))
        if last is None or not self._gate.policy.ahead:
            return False
        seen = self._gate.engine.rehearse(_ended(call, call.start_ns, last, None, None))
        for signal in seen.signals:
            action = self._gate.policy(signal, RunSummary(run=self.key))
            if action in (Action.BLOCK, Action.HALT):
                with self._lock:
                    self._ladder.signalled(replace(signal, advice=f"{UPCOMING} {signal.advice}"), action, request)
                return True
        return False

    def _judge(self, call: ToolCall, result: object, error: object, outcome: Outcome | None) -> str | None:
        ended = _ended(call, self._gate.clock(), result, error, outcome)
        request = self._request(ended)
        seen = self._gate.engine.observe(ended)
        self._gate.outlet.ran(ended, seen)
        with self._lock:
            self._ladder.ran(request)
            self._keep(request, ended)
            if seen.recovered:
                self._ladder.moved_on()
            if seen.changed:
                self._ladder.changed()
            self._ladder.wasted(request, seen.wasted)
        for signal in seen.signals:
            self._signalled(signal)
        return self._nudge(request) if seen.wasted or seen.signals else None

    def _signalled(self, signal: LoopSignal) -> None:
        decision = decide(self._gate.hook, signal, self._summary())
        self._gate.outlet.signalled(signal, decision)
        with self._lock:
            self._ladder.signalled(signal, decision.action)
        if decision.action is Action.HALT:
            self._halt(signal)

    def _nudge(self, request: Request) -> str | None:
        with self._lock:
            signal = self._ladder.nudge(request, self._gate.clock())
        if signal is None:
            return None
        self._act(Action.NUDGE, signal)
        return None if self._gate.dry_run else notes.nudge(signal.advice)

    def _halt(self, signal: LoopSignal) -> None:
        """The first halt counts."""
        self._act(Action.HALT, signal)
        if not self._gate.dry_run and self._halted is None:
            self._stop(LoopHalted(signal, stop_report(signal, self._summary())))

    def _stop(self, halted: LoopHalted) -> None:
        self._halted = halted
        self._gate.outlet.halted(halted.signal, halted.report)

    def _hear(self) -> RunDecision | None:
        """What holds for the run as decided elsewhere, now that it was taken in."""
        elsewhere = self._gate.elsewhere
        return None if elsewhere is None else self._gate.safely(lambda: self._told(elsewhere))

    def _told(self, elsewhere: Elsewhere) -> RunDecision | None:
        told = elsewhere.decided(self._identity())
        if told is not None and self._is_news(told):
            if told.action is Action.CONTINUE and (self._halted is not None or current_run().halted):
                self.go_on(told.by)
            elif told.halts and self._halted is None:
                with self._lock:
                    self._note(Action.HALT, None, told.by, told.reason)
                self._stop(LoopHalted(None, report_of(told, self._summary()), advice_of(told)))
        return told

    def _is_news(self, told: RunDecision) -> bool:
        """Each decision counts once: somebody here may have decided otherwise since."""
        with self._lock:
            if told.version <= self._heard:
                return False
            self._heard = told.version
            return True

    def _identity(self) -> RunIdentity:
        """The trace is that of the last call made within a span."""
        context = get_current_span().get_span_context()
        if context.is_valid:
            self._trace_id = f"{context.trace_id:032x}"
        return RunIdentity((self.key, *current_run().keys), self._trace_id, self.agent)

    def _act(self, action: Action, signal: LoopSignal) -> None:
        with self._lock:
            self._note(action, signal, "loopwatch", signal.reason)
        self._gate.outlet.acted(signal, action, self._gate.dry_run)

    def _note(self, action: Action, signal: LoopSignal | None, by: str, why: str) -> None:
        kind, level, tools = (signal.kind, signal.level, signal.tools) if signal is not None else (None, None, ())
        self._decisions.append(Taken(self._gate.clock(), action, kind, level, tools, why, self._gate.dry_run, by))

    def _summary(self) -> RunSummary:
        return self._gate.engine.summary(self.key) or RunSummary(run=self.key)

    def _request(self, call: ToolCall) -> Request:
        settings = self._gate.options.settings
        return request_of(call, settings.policy(call.tool, self.agent), settings.max_value_bytes)

    def _keep(self, request: Request, call: ToolCall) -> None:
        """The result of a request, for rehearsals; a failure is expected to fail again, and is left to the engine."""
        key = (request.tool, request.arguments)
        self._results.pop(key, None)
        if not self._gate.policy.ahead or call.failed or call.result is None:
            return
        text = text_of(call.result)
        if len(text) <= KEPT_RESULT:
            self._results[key] = text
        if len(self._results) > FOR_REHEARSALS:
            self._results.popitem(last=False)

    def _end(self, termination: Termination | None) -> None:
        summary = self._gate.engine.end(self.key)
        self._gate.forget(self.key)
        if summary is not None:
            self._gate.outlet.ended(summary, status_of(summary, self._halted is not None), termination)


def _ended(call: ToolCall, now: int, result: object, error: object, outcome: Outcome | None) -> ToolCall:
    """The call with what became of it."""
    failed = error is not None
    text = None if error is None else str(error) or type(error).__name__
    return structs.replace(call, end_ns=now, result=result, failed=failed, error=text, outcome=outcome)
