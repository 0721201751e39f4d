import functools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from live_agent import CLOCK, SIGNAL, Rig, rig
from opentelemetry.trace import StatusCode

from otel_loopwatch.control.hook import DryRun, decide, resolve_hook
from otel_loopwatch.control.report import stop_report
from otel_loopwatch.control.run import LoopHalted, current_run, progress
from otel_loopwatch.model import Action, Kind, Level, LoopSignal, RunSummary
from otel_loopwatch.settings import THRESHOLDS

WARNING, CRITICAL = THRESHOLDS[Kind.IDENTICAL].warning, THRESHOLDS[Kind.IDENTICAL].critical
RUN = RunSummary(run="run", calls=8, wasted_calls=7, looping=True, signals=2)


async def asynchronous(signal: LoopSignal, run: RunSummary) -> Action:
    """What cannot be a hook."""
    return Action.HALT


class Asynchronous:
    async def __call__(self, signal: LoopSignal, run: RunSummary) -> Action:
        """What cannot be a hook either."""
        return Action.HALT


class Stop(BaseException):
    """Not even an Exception."""


def raising(error: BaseException) -> Callable[..., Any]:
    """A hook that raises."""

    def hook(signal: LoopSignal, run: RunSummary) -> Any:
        raise error

    return hook


def forgetful(signal: LoopSignal, run: RunSummary) -> Any:
    """A hook that returns a coroutine without being a coroutine function."""
    return asynchronous(signal, run)


HOOKS: dict[str, tuple[Any, Action, str | None]] = {
    "an action": (lambda signal, run: Action.BLOCK, Action.BLOCK, None),
    "None": (lambda signal, run: None, Action.CONTINUE, None),
    "an action, dry": (DryRun(lambda signal, run: Action.HALT), Action.HALT, None),
    "observe": ("observe", Action.CONTINUE, None),
    "halt": ("halt", Action.HALT, None),
    "raises": (raising(ValueError("x")), Action.CONTINUE, "ValueError"),
    "raises no Exception": (raising(Stop()), Action.CONTINUE, "Stop"),
    "a string": (lambda signal, run: "halt", Action.CONTINUE, "TypeError"),
    "True": (lambda signal, run: True, Action.CONTINUE, "TypeError"),
    "a coroutine": (forgetful, Action.CONTINUE, "TypeError"),
    "takes too little": (lambda signal: Action.HALT, Action.CONTINUE, "TypeError"),
}


@pytest.mark.parametrize(("hook", "action", "error"), HOOKS.values(), ids=HOOKS)
def test_whatever_a_hook_does_there_is_a_decision(hook: Any, action: Action, error: str | None) -> None:
    """Only an action is an action; anything else lets the run go on and is named."""
    decision = decide(resolve_hook(hook), SIGNAL, RUN)
    assert (decision.action, decision.error) == (action, error)
    assert decision.seconds >= 0


def test_interrupts_pass_through_a_hook() -> None:
    """Ctrl-C while a hook runs is the user's, not ours."""
    with pytest.raises(KeyboardInterrupt):
        decide(raising(KeyboardInterrupt()), SIGNAL, RUN)


@pytest.mark.parametrize(
    ("hook", "rule"),
    [
        ("stop", "one of observe, dry_run, halt"),
        (7, "or a callable"),
        (asynchronous, "must not be a coroutine function"),
        (Asynchronous(), "must not be a coroutine function"),
        (functools.partial(asynchronous), "must not be a coroutine function"),
        (DryRun(asynchronous), "must not be a coroutine function"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_a_hook_is_refused_at_set_up(hook: Any, rule: str) -> None:
    """The error names the argument, the value and the rule."""
    with pytest.raises(ValueError, match=f"control_hook is .*{rule}"):
        rig(control_hook=hook)


@pytest.mark.parametrize(("level", "action"), [(Level.WARNING, "nudge"), (Level.CRITICAL, "halt")])
def test_halt_nudges_first(level: Level, action: str) -> None:
    """The built-in hook halts on critical signals only."""
    hook = resolve_hook("halt")
    assert hook(replace(SIGNAL, level=level), RUN) is Action(action)


def loop(bench: Rig, calls: int = 12) -> int:
    """Run an agent's tool until it is stopped; returns how often its body ran."""
    ran = 0
    with bench.agent():
        for _ in range(calls):
            span = bench.start_call()
            ran += 1
            span.set_attribute("gen_ai.tool.call.result", "The parcel waits at the depot in Harburg")
            span.end(next(CLOCK.get()))
    return ran


def test_a_failing_hook_is_counted_and_harms_nobody() -> None:
    """The agent runs to its end, spans and signals are there, failures are counted by type."""
    bench = rig(control_hook=raising(ValueError("x")))
    assert loop(bench) == 12
    assert bench.counts("loopwatch.control.hook.failures") == {("ValueError",): 2}
    assert bench.points("loopwatch.control.hook.duration")["_OTHER",].count == 2
    assert len(bench.spans()) == 13


def test_the_hook_sees_signal_and_run() -> None:
    """Once per signal, with the run as it stands."""
    seen: list[tuple[Level, int]] = []
    bench = rig(control_hook=lambda signal, run: seen.append((signal.level, run.calls)))
    loop(bench)
    assert seen == [(Level.WARNING, WARNING), (Level.CRITICAL, CRITICAL)]


def test_a_halted_run_does_not_start_its_next_tool() -> None:
    """With enforcement, the body of the call after the halt never runs, and the report says why."""
    bench = rig(control_hook="halt", enforcement="raise")
    with pytest.raises(LoopHalted) as caught:
        loop(bench)
    assert len(bench.spans("execute_tool")) == CRITICAL
    assert caught.value.advice
    assert caught.value.report.stop_reason is Kind.IDENTICAL
    assert len(bench.processor._open) == 0
    assert bench.counts("loopwatch.run.ended") == {("halted",): 1}


def test_a_budget_of_turns_halts_the_agent_that_spent_it() -> None:
    """A signal of no tool, raised by a model's span, is marked on the agent and stops its tools."""
    bench = rig(control_hook="halt", enforcement="raise", budget={"turns": 3})
    tracer = bench.provider.get_tracer("agents")
    with bench.agent():
        bench.call()
        for _ in range(4):
            tracer.start_span("chat", attributes={"gen_ai.operation.name": "chat"}).end()
        with pytest.raises(LoopHalted):
            bench.start_call()
    (agent,) = bench.spans("invoke_agent")
    assert agent.attributes is not None
    assert agent.attributes["loopwatch.run.stop_reason"] == "budget"
    assert bench.counts("loopwatch.run.halts") == {("_OTHER", "budget"): 1}
    assert bench.counts("loopwatch.processor.failures") == {}


def test_a_halt_concerns_its_own_run_only() -> None:
    """Another agent, and the next agent in the same trace, go on."""
    bench = rig(control_hook="halt", enforcement="raise")
    with bench.provider.get_tracer("app").start_as_current_span("session"):
        with pytest.raises(LoopHalted):
            loop(bench)
        with bench.agent("other"):
            assert bench.call().end_time


def test_other_spans_of_a_halted_run_start() -> None:
    """Only tools are refused: the agent may still ask its model for a last answer."""
    bench = rig(control_hook="halt", enforcement="raise")
    with bench.agent():
        for _ in range(CRITICAL):
            bench.call()
        chat = bench.provider.get_tracer("agents").start_span("chat", attributes={"gen_ai.operation.name": "chat"})
        chat.end()
        with pytest.raises(LoopHalted):
            bench.start_call()


def test_frameworks_that_would_not_stop_are_never_raised_into(caplog: pytest.LogCaptureFixture) -> None:
    """Where raising makes things worse nothing is raised, and the log says so once."""
    bench = rig(control_hook="halt", enforcement="raise")
    with bench.agent():
        for _ in range(CRITICAL):
            bench.call()
        for _ in range(2):
            bench.provider.get_tracer("autogen-core").start_span("execute_tool look").end()
    assert len([record for record in caplog.records if "autogen-core" in record.message]) == 1


@pytest.mark.parametrize("hook", ["observe", "dry_run"])
def test_without_a_halt_nothing_is_stopped(hook: str) -> None:
    """Enforcement alone stops nothing, nor does a dry run."""
    bench = rig(control_hook=hook, enforcement="raise")
    assert loop(bench) == 12
    assert bench.counts("loopwatch.run.halts") == {}


def test_the_application_asks_for_the_halt() -> None:
    """Its own loop stops where it chooses to, and finds advice and report."""
    bench = rig(control_hook="halt")
    with bench.agent():
        run = current_run()
        for _ in range(WARNING):
            run.raise_if_halted()
            bench.call()
        assert run.advice
        assert not run.halted
        for _ in range(CRITICAL - WARNING):
            bench.call()
        with pytest.raises(LoopHalted):
            current_run().raise_if_halted()
    assert run.halted
    report = run.report()
    assert report is not None
    assert (report.completed_calls, report.status.value) == (CRITICAL, "halted")
    assert report.resume_condition


def test_current_run_is_found_from_within_a_tool() -> None:
    """The nearest span around that a run lives in."""
    bench = rig(control_hook="halt")
    with bench.agent():
        for _ in range(CRITICAL):
            bench.call()
        with bench.provider.get_tracer("app").start_as_current_span("inside"):
            assert current_run().halted


def test_outside_every_run_nothing_is_halted() -> None:
    """The view can be asked everywhere, without a check."""
    run = current_run()
    run.raise_if_halted()
    run.progress(1)
    assert (run.halted, run.advice, run.report()) == (False, None, None)


def test_declared_progress_starts_the_judging_afresh() -> None:
    """An application that knows better is believed."""
    bench = rig(control_hook="halt")
    with bench.agent():
        for version in range(1, 13):
            bench.call()
            progress(version)
        assert current_run().advice is None
    assert bench.counts("loopwatch.loop.signals") == {}


def test_advice_ends_with_the_loop() -> None:
    """A run that has moved on is advised no more."""
    bench = rig()
    with bench.agent():
        for _ in range(4):
            bench.call()
        assert current_run().advice
        for page in ("anchor", "beacon", "canal"):
            bench.call(f"read_{page}", f'{{"page": "{page}"}}', f"The {page} chapter tells of other things")
        assert current_run().advice is None


@pytest.mark.parametrize(
    ("hook", "own", "status"),
    [
        ("halt", StatusCode.UNSET, StatusCode.ERROR),
        ("halt", StatusCode.OK, StatusCode.OK),
        ("observe", StatusCode.UNSET, StatusCode.UNSET),
    ],
)
def test_the_agents_span_of_a_halted_run_has_failed(hook: str, own: StatusCode, status: StatusCode) -> None:
    """It says why; what its instrumentation said of it stays."""
    bench = rig(control_hook=hook)
    with bench.agent() as span:
        for _ in range(CRITICAL):
            bench.call()
        if own is not StatusCode.UNSET:
            span.set_status(own)
    (agent,) = bench.spans("invoke_agent")
    assert agent.status.status_code is status
    assert ("same result" in (agent.status.description or "")) is (status is StatusCode.ERROR)


def test_the_stop_report_is_json() -> None:
    """Plain keys and values, for whatever resumes the run."""
    report = json.loads(stop_report(SIGNAL, RUN).to_json())
    assert report["status"] == "halted"
    assert report["stop_reason"] == "identical"
    assert report["completed_calls"] == 8
    assert report["wasted_calls"] == 7
    assert set(report) >= {"reason", "tools", "last_progress_ns", "resume_condition"}


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_says_what_must_change(kind: Kind) -> None:
    """No stop without a way to resume."""
    signal = replace(SIGNAL, kind=kind)
    assert stop_report(signal, RUN).resume_condition.endswith(".")
