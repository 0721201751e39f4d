"""A guarded run: every tool call is decided about before it executes, and what came of it decides what may be next."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from threading import RLock
from types import TracebackType
from typing import Any

from opentelemetry.trace import Span, Status, StatusCode, TracerProvider, get_tracer

from otel_loopwatch.control.again import request_of
from otel_loopwatch.control.gate import Gate, Passing
from otel_loopwatch.control.policy import ResponsePolicy
from otel_loopwatch.control.report import StopReport, TerminalState
from otel_loopwatch.control.run import LoopHalted
from otel_loopwatch.digests import Digests
from otel_loopwatch.guard.causes import Cause
from otel_loopwatch.guard.classify import Came, raised, returned
from otel_loopwatch.guard.kinds import After, Attempt, Before, Stopped
from otel_loopwatch.guard.ledger import Ledger, open_ledger
from otel_loopwatch.guard.limits import SECOND, Limits, Used
from otel_loopwatch.guard.memory import Memory, Step
from otel_loopwatch.guard.operations import Operations
from otel_loopwatch.guard.reports import Reports
from otel_loopwatch.guard.spans import Spans, arguments_digest
from otel_loopwatch.guard.tools import Tool, as_tool
from otel_loopwatch.guard.wanted import Wanted
from otel_loopwatch.model import ToolCall
from otel_loopwatch.telemetry import names

Callables = Tool | Callable[..., object]


class GuardedRun:
    """One run of an agent, as a context manager; may be used from any thread.

    :param key: stands for the task, also when it is resumed in another process.
    :param gate: finds loops; shared by the runs of a process, or one of this run's own.
    :param ledger: of side effects; a URL or path is opened for this run, None keeps them in memory.
    :param progress_version: where the work stands at the start, as a checkpoint has it.
    :param required_evidence: names of what has to be shown for the run to count as completed.
    :param keep_content: write arguments and results onto the spans, instead of their digests.
    :param clock: ns since the epoch.
    :param checkpoint: last state of the work that is safe to go on from.
    :param preconditions: versions or fingerprints by name; see :meth:`precondition`.
    :raises ValueError: naming the argument, its value and the rule it breaks.
    :raises LedgerUnavailable: where the ledger cannot be opened.
    """

    def __init__(
        self,
        key: str,
        *,
        agent: str = "agent",
        gate: Gate | None = None,
        limits: Limits | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        progress_version: int | None = None,
        required_evidence: Iterable[str] = (),
        keep_content: bool = False,
        clock: Callable[[], int] = time.time_ns,
        checkpoint: str | None = None,
        preconditions: Mapping[str, str] | None = None,
        tracer_provider: TracerProvider | None = None,
    ) -> None:
        if not key:
            raise ValueError(f"key is {key!r}; it must name the task")
        self.key = key
        self.agent = agent
        self.limits = limits or Limits()
        self.used = Used(clock())
        self.report: StopReport | None = None
        """How it ended, or None."""
        self.answer: object = None
        self._clock = clock
        self._gate = Gate(ResponsePolicy(), clock=clock) if gate is None else gate
        self._gated = self._gate.run(key, agent)
        self._version = progress_version
        self._required = tuple(required_evidence)
        self._preconditions = dict(preconditions or {})
        self._memory = Memory(self.limits, self.used, self._preconditions)
        self._exits = ExitStack()
        self.operations = Operations(self._opened(ledger), key)
        self._reports = Reports(key, self._gate.engine, self.operations, self._preconditions, checkpoint)
        tracer = get_tracer(names.SCOPE, tracer_provider=tracer_provider)
        self._spans = Spans(tracer, Digests(self._gate.options.digest_key), keep_content, clock)
        self._span: Span | None = None
        self._lock = RLock()
        self._numbers = count(1)

    def _opened(self, ledger: Ledger | str | os.PathLike[str] | None) -> Ledger:
        if isinstance(ledger, Ledger):
            return ledger
        opened = open_ledger(ledger or ":memory:", self._clock)
        self._exits.callback(opened.close)
        return opened

    def __enter__(self) -> GuardedRun:
        self.used.started_ns = self._clock()
        self._span = self._exits.enter_context(self._spans.agent(self.agent))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._exits:
            self._ended_by(error)

    def _ended_by(self, error: BaseException | None) -> None:
        if self.report is None:
            self.report = self._last_report(error)
        if self._span is not None:
            self._span.set_attribute(names.RUN_TERMINATION, self.report.termination.value)
            if self.report.state is TerminalState.FAILED:
                self._span.set_status(Status(StatusCode.ERROR, self.report.termination.value))
        self._gated.end(self.report.termination)

    def _last_report(self, error: BaseException | None) -> StopReport:
        if isinstance(error, (Stopped, LoopHalted)):
            return self._reports.located(error.report)
        if error is not None:
            return self._reports.of(Cause.ERROR, f"The application failed with {type(error).__qualname__}.")
        return self._reports.of(Cause.UNFINISHED, "The run was left without an answer.")

    # What the application asks for.

    def call(
        self,
        tool: Callables,
        arguments: Mapping[str, Any] | None = None,
        *,
        operation_key: str | None = None,
        repeats: str | None = None,
        authorisation: str | None = None,
        call_id: str | None = None,
        sleep: Callable[[float], object] | None = None,
    ) -> Any:
        """The value that a tool gives; see :meth:`attempt`. With ``sleep`` (seconds), it waits and tries again.

        :raises Stopped: where there is no value to go on with.
        """
        while True:
            made = self.attempt(
                tool, arguments, operation_key=operation_key, repeats=repeats,
                authorisation=authorisation, call_id=call_id,
            )  # fmt: skip
            if made.ok:
                return made.value
            if sleep is None or made.not_before_ns is None:
                raise Stopped(made, made.report or self._reports.of(Cause.UNFINISHED, made.message)) from made.error
            sleep(max(0, made.not_before_ns - self._clock()) / SECOND)

    def attempt(
        self,
        tool: Callables,
        arguments: Mapping[str, Any] | None = None,
        *,
        operation_key: str | None = None,
        repeats: str | None = None,
        authorisation: str | None = None,
        call_id: str | None = None,
    ) -> Attempt:
        """Make a call if it may be made, and say what became of it. What the tool raises is told, not raised.

        A tool with a side effect runs once per ``operation_key``. To do one on purpose once more takes a new key,
        the old one as ``repeats``, and who allowed it as ``authorisation``.

        :raises ValueError: for a side effect without a key, and for what no claim of the ledger can have.
        """
        wanted = self._wanted(as_tool(tool), arguments or {}, operation_key, repeats, authorisation, call_id)
        with self._lock:
            step = self._forbidden(wanted)
            if step is None:
                self.used.calls += 1
                self._memory.trying(wanted.request)
        return self._claimed(wanted) if step is None else self._refused(wanted, step)

    def turn(self, tokens: int = 0, cost: float = 0.0) -> StopReport | None:
        """The model has answered, at this expense. Gives the report of a run that may make no more calls."""
        with self._lock:
            self.used.turns += 1
            self.used.tokens += tokens
            self.used.cost += cost
        halted = self._gated.before_model(tokens)
        if halted is not None:
            return self._reports.located(halted)
        passed = self.limits.passed(self.used, self._clock())
        return None if passed is None else self._reports.of(Cause.LIMIT, passed)

    def progress(self, version: int) -> None:
        """Declare how far the work is: a version above the last one starts the counting and judging afresh."""
        with self._lock:
            before, self._version = self._version, max(version, self._version if self._version is not None else version)
            if before is None or version <= before:
                return
            self.used.moved_on()
            self._memory.moved_on(self._clock())
        self._gated.progress(before)
        self._gated.progress(version)

    def precondition(self, name: str, version: str) -> None:
        """State the version or fingerprint of something that calls need: what failed for want of it may be retried."""
        with self._lock:
            self._preconditions[name] = version

    def checkpoint(self, name: str) -> None:
        """Name the state that the work has safely reached."""
        self._reports.checkpoint = name

    def confirm(self, operation_key: str, tool: Callables, value: object = None) -> None:
        """A pending operation turned out to have happened."""
        self.operations.complete(operation_key, as_tool(tool).name, value)
        with self._lock:
            self._memory.forget(operation_key)

    # How it ends.

    def finish(self, answer: object, evidence: Mapping[str, object] | None = None) -> StopReport:
        """End with an answer. Where required evidence is missing or empty, a person has to look at it."""
        shown = {name for name, value in (evidence or {}).items() if value not in (None, "") and value is not False}
        missing = [name for name in self._required if name not in shown]
        self.answer = answer
        if missing:
            return self._end(self._reports.of(Cause.EVIDENCE, f"The answer lacks evidence: {', '.join(missing)}."))
        return self._end(self._reports.of(Cause.NONE, "The run gave its answer."))

    def stop(self, reason: str = "The application stopped the run.", at: Attempt | None = None) -> StopReport:
        """End without an answer, ``at`` the attempt that does not let it go on."""
        return self._end(at.report if at is not None and at.report is not None else self._unfinished(reason))

    def report_blocked(self, tried: str, needed: str) -> StopReport:
        """End because the model says what it lacks. ``needed`` is written onto the agent span; ``tried`` is not."""
        if self._span is not None:
            self._span.add_event(names.BLOCKED_EVENT, {names.BLOCKED_NEEDED: needed})
        reason = f"The agent is blocked. It needs: {needed}"
        return self._end(self._reports.of(Cause.BLOCKED, reason, needed))

    @property
    def exit_code(self) -> int:
        """For scripts; see :attr:`TerminalState.exit_code`. Of a run that has not ended: that of a partial one."""
        return (self.report.state if self.report is not None else TerminalState.PARTIAL).exit_code

    def _end(self, report: StopReport) -> StopReport:
        """The first end counts."""
        with self._lock:
            self.report = self.report or report
            return self.report

    def _unfinished(self, reason: str) -> StopReport:
        halted = self._gated.report()
        return self._reports.of(Cause.UNFINISHED, reason) if halted is None else self._reports.located(halted)

    # How a call goes.

    def _wanted(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        operation_key: str | None,
        repeats: str | None,
        authorisation: str | None,
        call_id: str | None,
    ) -> Wanted:
        key = tool.operation_key(arguments, operation_key)
        return Wanted(
            tool=tool,
            arguments=arguments,
            call_id=call_id or f"call-{next(self._numbers)}",
            request=key or self._request(tool.name, arguments),
            operation_key=key,
            repeats=repeats,
            authorisation=authorisation,
        )

    def _request(self, tool: str, arguments: Mapping[str, Any]) -> Hashable:
        settings = self._gate.options.settings
        call = ToolCall(run=self.key, tool=tool, arguments=arguments)
        request = request_of(call, settings.policy(tool, self.agent), settings.max_value_bytes)
        return request.tool, request.arguments

    def _forbidden(self, wanted: Wanted) -> Step | None:
        """Why the call must not be made, as far as the run itself knows."""
        if self.report is not None:
            return Step(After.STOP_PARTIAL, Cause.UNFINISHED, "The run has ended.")
        now = self._clock()
        passed = self.limits.passed(self.used, now)
        if passed is not None:
            return Step(After.STOP_PARTIAL, Cause.LIMIT, passed)
        return self._memory.refusal(wanted.request, now)

    def _claimed(self, wanted: Wanted) -> Attempt:
        """A side effect is claimed before anything else can stand in its way: one that happened is not a loop."""
        key, tool = wanted.operation_key, wanted.tool
        if key is None:
            return self._passed(wanted)
        policy = self._gate.options.settings.policy(tool.name, self.agent)
        digest = arguments_digest(wanted.arguments, policy.volatile_keys, policy.identity_keys)
        grant = self.operations.claim(key, tool.name, digest, tool.lease_s, wanted.authorisation, wanted.repeats)
        if grant.done:
            return Attempt(tool=tool.name, before=Before.RETURN_CACHED_SUCCESS, after=After.COMPLETE, value=grant.value)
        if not grant.granted:
            return self._refused(wanted, Step(After.STOP_PARTIAL, grant.cause, grant.why))
        return self._passed(wanted)

    def _passed(self, wanted: Wanted) -> Attempt:
        """Through the gate. A deliberate repeat is no loop; a halt holds for it as well."""
        passing = self._gated.before(wanted.tool.name, wanted.arguments, wanted.call_id)
        if passing.halted or (passing.refused and wanted.repeats is None):
            if wanted.operation_key is not None:
                self.operations.release(wanted.operation_key)
            why = passing.reason or f"{wanted.tool.name} was refused: the call is one round more of a loop."
            return replace(self._refused(wanted, Step(After.STOP_PARTIAL, Cause.LOOP, why)), message=passing.message)
        try:
            return self._executed(wanted, passing)
        except BaseException as error:
            self._settle(wanted, raised(error))
            raise

    def _executed(self, wanted: Wanted, passing: Passing) -> Attempt:
        with self._spans.call(wanted.tool.name, wanted.arguments, wanted.call_id) as span:
            if self._version is not None:
                span.set_attribute(names.PROGRESS_VERSION, self._version)
            came = self._run(wanted)
            self._spans.came(span, came)
            self._settle(wanted, came)
            note = self._gated.after(passing, came.value, came.error, came.outcome)
        return self._judged(wanted, came, note)

    def _run(self, wanted: Wanted) -> Came:
        remaining = self.limits.remaining_s(self.used, self._clock())
        try:
            return returned(wanted.tool.run(wanted.arguments, remaining), wanted.tool.side_effect)
        except Exception as error:  # noqa: BLE001 - told as the attempt's error
            return raised(error)

    def _settle(self, wanted: Wanted, came: Came) -> None:
        if wanted.operation_key is not None:
            self.operations.settle(wanted.operation_key, wanted.tool.name, came.kind, came.value, came.known)

    def _judged(self, wanted: Wanted, came: Came, note: str | None) -> Attempt:
        step = self._next(wanted, came)
        if step is None:
            after = After.CONTINUE if wanted.operation_key is None else After.COMPLETE
            made = Attempt(tool=wanted.tool.name, before=Before.EXECUTE, after=after)
        else:
            made = self._told(wanted, step, Before.EXECUTE)
        return replace(made, kind=came.kind, value=came.value, note=note, error=came.error)

    def _next(self, wanted: Wanted, came: Came) -> Step | None:
        """What may be done after a call that did not succeed."""
        tool = wanted.tool
        if wanted.leaves_in_doubt(came):
            why = f"Whether {tool.name} did its operation {wanted.operation_key} is not known."
            return Step(After.STOP_PARTIAL, Cause.OPERATION, why)
        needed = came.precondition or tool.precondition or tool.name
        with self._lock:
            return self._memory.ended(wanted.request, tool.name, came.kind, needed, self._clock())

    def _refused(self, wanted: Wanted, step: Step) -> Attempt:
        return self._told(wanted, step, Before.STOP_PARTIAL)

    def _told(self, wanted: Wanted, step: Step, before: Before) -> Attempt:
        return Attempt(
            tool=wanted.tool.name,
            before=before,
            after=step.after,
            message=step.why,
            not_before_ns=step.not_before_ns,
            precondition=step.precondition,
            report=self._report_of(step),
        )

    # What is reported.

    def _report_of(self, step: Step) -> StopReport:
        halted = self._gated.report() if step.cause is Cause.LOOP else None
        if self.report is not None:
            return self.report
        return (
            self._reports.of(step.cause, step.why, step.precondition)
            if halted is None
            else self._reports.located(halted)
        )
