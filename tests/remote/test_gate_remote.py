"""A gate that hears what was decided elsewhere: halts, resumes, and the silence of who decides."""

from __future__ import annotations

import pytest
from live_agent import rig
from remote.following import Said, gated, remote

from otel_loopwatch import notes
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import Around, DryRun, Several, decide, elsewhere, halt, innermost, is_dry, observe
from otel_loopwatch.control.identity import RunIdentity
from otel_loopwatch.control.policy import ResponsePolicy
from otel_loopwatch.control.remote import Fail, RemoteControl
from otel_loopwatch.control.report import TerminalState, Termination
from otel_loopwatch.control.run import LoopHalted, current_run
from otel_loopwatch.control.told import END
from otel_loopwatch.guard import GuardedRun
from otel_loopwatch.model import Action

TRACE = "0af7651916cd43dd8448eb211c80319c"


def test_a_halt_from_afar_ends_the_run(said: Said) -> None:
    """Like one of ours: the call does not execute, the model is told, the application gets a report."""
    run = gated(remote(said))
    assert not run.before("search").refused
    assert run.before_model() is None
    said.decide(Action.HALT, 1, reason="It orders the same chair again")
    passing = run.before("search", {"query": "chairs"})
    assert passing.halted
    words = "Ana halted the run: It orders the same chair again. Make no more calls; say what is known so far."
    assert passing.message == run.farewell == notes.farewell(words)
    report = run.before_model()
    assert report is not None
    assert report == run.report()
    assert (report.run, report.state, report.termination) == ("run", TerminalState.NEEDS_HUMAN, Termination.HANDOFF)
    assert (report.reason, report.stop_reason) == ("Ana halted the run: It orders the same chair again.", None)
    with pytest.raises(LoopHalted, match="Ana halted the run") as halted:
        run.raise_if_halted()
    assert (halted.value.signal, halted.value.report, halted.value.advice) == (None, report, words)
    assert [(taken.action, taken.by, taken.kind) for taken in run.decisions] == [(Action.HALT, "Ana", None)]


@pytest.mark.parametrize(
    ("by", "reason", "advice", "says", "told"),
    [
        ("loopwatch", "It repeats itself.", "Answer now.", "It repeats itself.", "Answer now."),
        ("loopwatch", "", "", "The run was halted.", f"The run was halted. {END}"),
        ("Ben", "", "", "Ben halted the run.", f"Ben halted the run. {END}"),
        ("Ben", "Why?", "", "Ben halted the run: Why?", f"Ben halted the run: Why? {END}"),
    ],
)
def test_a_halt_says_who_and_why(said: Said, by: str, reason: str, advice: str, says: str, told: str) -> None:
    """In whole sentences, for people and for the model."""
    run = gated(remote(said))
    said.decide(Action.HALT, 1, by=by, reason=reason, advice=advice)
    assert run.halted
    report = run.report()
    assert report is not None
    assert (report.reason, run.farewell) == (says, notes.farewell(told))
    assert (report.state is TerminalState.NEEDS_HUMAN) == (by != "loopwatch")


def test_a_resume_from_afar_lifts_a_halt(said: Said) -> None:
    """One from afar, and one of the gate's own."""
    run = gated(remote(said))
    said.decide(Action.HALT, 1)
    assert run.halted
    said.decide(Action.CONTINUE, 2, by="Ben")
    assert not run.halted
    assert run.report() is None
    assert not run.before("search").refused
    assert [(taken.action, taken.by) for taken in run.decisions] == [(Action.HALT, "Ana"), (Action.CONTINUE, "Ben")]


def test_who_lets_a_run_go_on_here_is_not_overruled_by_what_was_said_before(said: Said) -> None:
    """The next word from afar counts again."""
    run = gated(remote(said))
    said.decide(Action.HALT, 1)
    assert run.halted
    run.go_on("Cem")
    assert not run.halted
    said.decide(Action.HALT, 2)
    assert run.halted


def test_a_run_halted_here_is_resumed_from_afar(said: Said) -> None:
    """The inner policy keeps its ladder, and its halt is lifted by a person elsewhere."""
    run = gated(remote(said, inner=ResponsePolicy(max_nudges=0, max_refusals=0, ahead=False)))
    for _ in range(20):
        passing = run.before("search", {"query": "kettles"})
        if not passing.refused:
            run.after(passing, "No policy covers kettles. Known policies: clothing, furniture.")
    assert run.halted
    said.decide(Action.HALT, 1)
    assert "search gave the same result" in run.farewell, "the first halt counts"
    said.decide(Action.CONTINUE, 2)
    assert not run.halted


def test_another_run_goes_on(said: Said) -> None:
    """Only the one that is meant is halted."""
    run = gated(remote(said))
    said.decide(Action.HALT, 1, run="another")
    said.decide(Action.HALT, 2, run=TRACE)
    assert not run.before("search").refused


@pytest.mark.parametrize("watched", [True, False])
def test_a_run_is_known_by_the_trace_it_calls_in(said: Said, watched: bool) -> None:
    """Also where the next call is made outside of it; with a span processor, by the very key of the run."""
    control = remote(said)
    run = gated(control)
    made = rig(control_hook=control) if watched else rig(disabled=True)
    with made.agent("support") as span:
        made.call()
        assert not run.before("search").refused
        said.decide(Action.HALT, 1, run=f"{span.get_span_context().trace_id:032x}", agent="support")
        assert run.before("search").halted
        assert current_run().halted is watched
    assert run.halted


def test_a_span_processor_hears_of_a_halt_too(said: Said) -> None:
    """The run is halted for the application, the agent span says so, and a resume lifts it."""
    made = rig(control_hook=remote(said))
    with made.agent("support") as span:
        made.call()
        key = f"{span.get_span_context().trace_id:032x}"
        said.decide(Action.HALT, 1, run=key, reason="Enough.")
        report = current_run().report()
        assert report is not None
        assert report.reason == "Ana halted the run: Enough."
        with pytest.raises(LoopHalted) as halted:
            current_run().raise_if_halted()
        assert halted.value.advice.endswith("say what is known so far.")
        said.decide(Action.CONTINUE, 2, run=key)
        assert not current_run().halted
        said.decide(Action.HALT, 3, run=key, reason="Enough now.")
        assert current_run().halted
    (agent,) = made.spans("invoke_agent")
    assert agent.attributes is not None
    assert agent.attributes["loopwatch.run.status"] == "halted"
    assert "Enough now." in str(agent.attributes["loopwatch.run.stop_report"])
    assert "loopwatch.run.stop_reason" not in agent.attributes
    assert made.counts("loopwatch.run.halts") == {("_OTHER", "_OTHER"): 2}


def test_a_tool_span_of_a_run_halted_from_afar_is_refused_where_asked_for(said: Said) -> None:
    """With enforcement by raising, the next tool does not run."""
    made = rig(control_hook=remote(said), enforcement="raise")
    with made.agent("support") as span:
        made.call()
        said.decide(Action.HALT, 1, run=f"{span.get_span_context().trace_id:032x}")
        with pytest.raises(LoopHalted, match="Ana halted"):
            made.call()
    assert len(made.spans("execute_tool")) == 1


def test_a_guarded_run_is_halted_from_afar(said: Said) -> None:
    """No tool runs any more, and its end is that of a run that waits for a person."""
    calls: list[str] = []
    gate = gated(remote(said))._gate
    with GuardedRun("task", gate=gate) as run:
        assert run.attempt(lambda: calls.append("ran") or "one").ok
        said.decide(Action.HALT, 1, run="task", reason="Enough.")
        made = run.attempt(lambda: calls.append("ran") or "two")
        assert (made.ok, calls) == (False, ["ran"])
        assert made.report is not None
        assert made.report.state is TerminalState.NEEDS_HUMAN
        assert "Ana halted the run: Enough." in made.message
        assert run.turn() is not None


def test_nobody_refuses_without_contact_where_it_fails_open(said: Said) -> None:
    """What was decided last holds for as long as it takes."""
    now = [0.0]
    control = remote(said, clock=lambda: now[0], grace_s=30)
    run = gated(control)
    said.decide(Action.HALT, 1, run="another")
    now[0] = 1e6
    assert not control.in_contact
    assert not run.before("search").refused
    assert control.decided(gated(control)._identity()) is None


def test_calls_are_refused_without_contact_where_it_fails_closed(said: Said) -> None:
    """After the grace, with a message that says why, until somebody is heard again; the run itself is not halted."""
    now = [0.0]
    run = gated(remote(said, clock=lambda: now[0], grace_s=30, fail="closed"))
    said.say(OSError("gone"))
    now[0] = 30
    assert not run.before("search").refused
    now[0] = 31
    passing = run.before("search")
    assert (passing.action, notes.is_refusal(passing.message)) == (Action.BLOCK, True)
    assert "has not been reachable for 31 s" in passing.message
    assert not run.halted
    assert run.before_model() is None
    with GuardedRun("task", gate=run._gate) as guarded:
        made = guarded.attempt(lambda: "never")
        assert made.report is not None
        assert made.report.reason == passing.reason
    said.decide(Action.CONTINUE, 1)
    said.say(OSError("gone"))
    said.decide(Action.CONTINUE, 2)
    assert not run.before("search").refused


def test_a_halt_holds_without_contact(said: Said) -> None:
    """It is no mere refusal then."""
    now = [0.0]
    run = gated(remote(said, clock=lambda: now[0], grace_s=30, fail=Fail.CLOSED))
    said.decide(Action.HALT, 1)
    now[0] = 100
    assert run.before("search").halted


def test_a_dry_run_around_it_hears_nothing_and_one_within_decides_nothing(said: Said) -> None:
    """A dry run carries nothing out; within, only what was decided elsewhere holds."""
    control = remote(said, inner=DryRun(halt))
    around, within = gated(DryRun(control)), gated(control)
    said.decide(Action.HALT, 1)
    assert not around.halted
    assert within.halted
    assert is_dry(around._gate.hook)
    assert is_dry(within._gate.hook)


def test_an_error_while_asking_halts_nobody() -> None:
    """It is counted, and the call goes on."""

    class Broken(Around):
        hook = staticmethod(observe)

        def decided(self, run: object) -> None:
            raise RuntimeError("no idea")

    run = gated(Broken())
    assert not run.before("search").refused
    assert not run.halted


def test_hooks_in_hooks_are_found(said: Said) -> None:
    """What decides in the end, and who knows of elsewhere."""
    control = remote(said, inner=halt)
    assert (innermost(DryRun(control)), elsewhere(control), elsewhere(halt)) == (halt, control, None)
    assert elsewhere(DryRun(control)) is None
    assert isinstance(control, RemoteControl)
    assert decide(control, *_critical()).action is Action.HALT


def test_several_gateways_are_heard(said: Said) -> None:
    """Whichever of them knows the run may halt it, and what was decided last holds."""
    other = Said()
    run = gated(remote(said, inner=remote(other)))
    other.decide(Action.HALT, 1)
    assert run.halted
    said.decide(Action.CONTINUE, 2)
    assert not run.halted
    assert not run.before("search").refused
    assert all(control.close() for control in other.controls)


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        pytest.param([], None, id="nobody knows anything"),
        pytest.param([(Action.CONTINUE, 2), (Action.BLOCK, 0)], Action.BLOCK, id="one is away, and fails closed"),
        pytest.param([(Action.HALT, 2), (Action.BLOCK, 0)], Action.HALT, id="a halt is more than that"),
        pytest.param([(Action.HALT, 2), (Action.CONTINUE, 3)], Action.CONTINUE, id="the last word"),
    ],
)
def test_what_holds_of_what_several_say(held: list[tuple[Action, int]], expected: Action | None) -> None:
    """By versions, but for calls that are refused for want of contact."""

    class Place:
        def __init__(self, action: Action, version: int) -> None:
            self._decision = RunDecision(run="r", action=action, version=version)

        def decided(self, run: RunIdentity) -> RunDecision:
            return self._decision

    found = Several([Place(*each) for each in held]).decided(RunIdentity(("r",), "", None))
    assert (found.action if found is not None else None) is expected


def _critical() -> tuple[object, object]:
    from live_agent import SIGNAL

    from otel_loopwatch.model import RunSummary

    return SIGNAL, RunSummary(run="run")
