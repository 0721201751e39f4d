"""ping_pong and cycle between agents: a supervisor hands over, the worker hands back, and nothing else happens.

Each agent's own run sees a single repeated call at most; the loop shows only where their calls are one sequence.
"""

from __future__ import annotations

from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.cycle import kind_of
from otel_loopwatch.detectors.grading import ROUNDS, Extra, round_grade
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade

NOTHING_DONE = Extra(1, 1)
"""Rounds of acknowledgements: whoever is handed the work does nothing but hand it on."""


def between_agents(step: Step) -> Verdict | None:
    """A cycle in which more than one agent takes part."""
    group = step.group
    if group is None or group.keys.quiet:
        return None
    least = min(step.threshold(Kind.PING_PONG).warning, step.threshold(Kind.CYCLE).warning)
    period = group.keys.shortest(least, start=2)
    one_round = group.places[-period:] if period else []
    if len({place.run for place in one_round}) < 2:
        return None
    rounds, kind = group.keys.rounds(period), kind_of(period)
    grade = round_grade([place.grade for place in one_round])
    graded = step.level(kind, rounds, NOTHING_DONE if grade is Grade.ACK else ROUNDS[grade])
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
