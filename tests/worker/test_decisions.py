"""What is decided about the runs of a partition."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from live_agent import SIGNAL

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import ControlHook, dry_run, halt, observe
from otel_loopwatch.model import Action, Level, LoopSignal, Observation, Outcome, RunSummary, ToolCall
from otel_loopwatch.stream import Seen
from otel_loopwatch.tracker import RunEnded
from otel_loopwatch.worker.decisions import PER_MESSAGE, Decisions

RUN = RunSummary(run="run", calls=3, last_ns=7)
WARNING = replace(SIGNAL, run="run", level=Level.WARNING, trace_id=5)
CRITICAL = replace(WARNING, level=Level.CRITICAL, count=9)
ENDED = Seen(RunEnded("run", "ended"), run=RUN)


def step(*signals: LoopSignal, recovered: tuple[LoopSignal, ...] = ()) -> Seen:
    """A judged call of the run."""
    observation = Observation(1, 2, Outcome.SUCCESS, signals=signals, recovered=recovered)
    return Seen(ToolCall(run="run", tool="search"), signals, observation, RUN)


MOVED_ON = step(recovered=(WARNING,))


def actions(decisions: Decisions, *steps: Seen) -> list[Action | None]:
    """What is decided message by message; None: it is over."""
    found = [each for offset, seen in enumerate(steps) for each in decisions.take(offset, [seen])]
    return [decision and decision.action for _, decision in found]


@pytest.mark.parametrize(
    ("hook", "steps", "expected"),
    [
        (halt, [step(WARNING)], [Action.NUDGE]),
        (halt, [step(WARNING), step(CRITICAL)], [Action.NUDGE, Action.HALT]),
        (halt, [step(CRITICAL), step(WARNING), MOVED_ON], [Action.HALT]),
        (halt, [step(CRITICAL), step(CRITICAL)], [Action.HALT, Action.HALT]),
        (halt, [step(WARNING), MOVED_ON, MOVED_ON], [Action.NUDGE, Action.CONTINUE]),
        (halt, [step(WARNING), ENDED, ENDED], [Action.NUDGE, None]),
        (halt, [ENDED, MOVED_ON], []),
        (observe, [step(CRITICAL)], []),
        (dry_run, [step(CRITICAL)], []),
        (halt, [replace(step(CRITICAL), run=None)], []),
    ],
)
def test_what_holds_for_a_run_follows_from_its_steps(
    hook: ControlHook, steps: list[Seen], expected: list[Action | None]
) -> None:
    """A halt stands; anything less passes when the run moves on; an end takes away what held."""
    assert actions(Decisions(hook), *steps) == expected


def test_a_decision_says_what_it_follows_from() -> None:
    """The signal, its run and its time; the version rises with the log and within a message."""
    found = [decision for _, decision in Decisions(halt).take(4, [step(WARNING), step(CRITICAL)])]
    assert found[1] == RunDecision(
        run="run",
        action=Action.HALT,
        version=5 * PER_MESSAGE + 2,
        at_ns=7,
        reason=CRITICAL.reason,
        advice=CRITICAL.advice,
        signal=CRITICAL.id,
        trace_id="0" * 31 + "5",
        agent=CRITICAL.agent,
    )


def test_the_next_owner_knows_what_holds() -> None:
    """From the records of the topic, of which the last of a run counts and what is no decision is ignored."""
    halted = RunDecision(run="run", action=Action.HALT, version=1)
    nudged = RunDecision(run="run", action=Action.NUDGE, version=2)
    for told, expected in (([halted], []), ([halted, nudged], [Action.NUDGE]), ([halted, None], [Action.NUDGE])):
        decisions = Decisions(halt)
        records = [(b"run", decision and msgspec.json.encode(decision)) for decision in told]
        decisions.restore([(None, b"no decision"), *records, (None, None)])
        assert actions(decisions, step(WARNING)) == expected


def test_what_holds_is_known_of_the_last_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounded, as everything is that runs can fill."""
    monkeypatch.setattr("otel_loopwatch.worker.decisions.MAX_RUNS", 1)
    decisions = Decisions(halt)
    other = replace(step(WARNING), run=replace(RUN, run="other"))
    assert actions(decisions, step(WARNING), other, ENDED) == [Action.NUDGE, Action.NUDGE]
