"""ping_pong and cycle between agents: a supervisor hands over, the worker hands back, and nothing else happens.

Each agent's own run sees a single repeated call at most; the loop shows only where their calls are one sequence.
"""

from __future__ import annotations

import msgspec

from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.cycle import kind_of
from otel_loopwatch.detectors.grading import ROUNDS, level, round_grade
from otel_loopwatch.fingerprint import name_digest
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.periods import LONGEST, Periods

ROUNDS_KEPT = 3
"""Places remembered, in rounds of the longest period."""


class Place(msgspec.Struct):
    """One call in the sequence of all agents."""

    run: str
    tool: str
    grade: Grade
    span_id: int


class Group(msgspec.Struct):
    """The calls of all runs that share a trace (or case), as one sequence."""

    keys: Periods = msgspec.field(default_factory=Periods)
    places: list[Place] = msgspec.field(default_factory=list)


def observe(group: Group, step: Step) -> None:
    """Append the newest call."""
    member = step.attempt.members[-1]
    key = None if member.call is None else hash((member.call, name_digest(step.call.run))) & ((1 << 64) - 1)
    group.keys.push(key)
    group.places.append(Place(step.call.run, member.tool, member.grade, step.call.span_id))
    if len(group.places) > LONGEST * ROUNDS_KEPT:
        del group.places[0]


def evaluate(group: Group, step: Step) -> Verdict | None:
    """A cycle in which more than one agent takes part."""
    if group.keys.quiet:
        return None
    least = min(step.threshold(Kind.PING_PONG).warning, step.threshold(Kind.CYCLE).warning)
    period = group.keys.shortest(least, start=2)
    one_round = group.places[-period:] if period else []
    if len({place.run for place in one_round}) < 2:
        return None
    rounds, kind = group.keys.rounds(period), kind_of(period)
    grade = round_grade([place.grade for place in one_round])
    graded = level(rounds, step.threshold(kind), ROUNDS[grade])
    if graded is None:
        return None
    return Verdict(
        kind=kind,
        level=graded,
        count=rounds,
        period=period,
        wasted=(rounds - 1) * period,
        evidence=grade.evidence,
        tools=tuple(dict.fromkeys(place.tool for place in one_round)),
        first_span_id=group.places[-min(period * rounds, len(group.places))].span_id,
        why=f"went round {rounds} times between agents, with the same results",
    )
