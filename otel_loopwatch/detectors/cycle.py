"""ping_pong and cycle: two or more attempts going round, with the same results each time."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import NO_EXTRA, ROUNDS, Extra, more, round_grade
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.records import Attempt

PATIENCE = 2
"""More rounds for attempts with long gaps."""
NO_HALT = Extra(0, None)
"""Told, but never critical."""
HOT_ROUNDS = Extra(5, None)
"""Rounds of waiting that does not wait."""
NOISE = 1
"""One more round where some arguments change from round to round."""


def kind_of(period: int) -> Kind:
    """The name of a cycle of that period."""
    return Kind.PING_PONG if period == 2 else Kind.CYCLE


def _least(step: Step) -> int:
    return min(step.threshold(Kind.PING_PONG).warning, step.threshold(Kind.CYCLE).warning)


def exact(step: Step) -> Verdict | None:
    """The same calls with the same results go round; the shortest period above one counts."""
    keys = step.run.call_keys
    period = keys.shortest(_least(step), start=2)
    if not period or keys.rounds(1) > period:
        return None
    return _verdict(step, period, keys.rounds(period), NO_EXTRA)


def noisy(step: Step) -> Verdict | None:
    """The same answers in the same order, with changed arguments here and there.

    Something in the round must be an exact repeat that proves something, and if the changed calls change the world
    that must be a failure: tests that pass after every edit are work, the same failure after every edit is not. Only
    a failure is a reason to stop, for the changed calls may each be news.
    """
    keys = step.run.answer_keys
    period = keys.shortest(_least(step) + NOISE, start=2)
    if not period or keys.rounds(1) > period:
        return None
    rounds = keys.rounds(period)
    proof = [past for past in step.run.last(period) if _repeated(step, past)]
    changed = any(past.changes for past in step.run.last(period * rounds))
    if any(past.grade is Grade.ERROR for past in proof):
        return _verdict(step, period, rounds, Extra(NOISE, NOISE))
    if changed or not any(past.grade is Grade.INFORMATIVE for past in proof):
        return None
    return _verdict(step, period, rounds, Extra(NOISE, None))


def _needed(step: Step, calls: int, one_round: list[Attempt], grade: Grade, pace: Pace) -> Extra:
    """What rounds of that grade need: several short answers of which none changes prove more than one of them."""
    if grade <= Grade.SHORT and any(verbs.waits(deed) for past in one_round for deed in past.deeds):
        grade = Grade.PENDING  # who waits between two looks expects a change, in whatever words it is not there yet
    if grade <= Grade.PENDING and step.hot(calls):
        return HOT_ROUNDS
    if grade in (Grade.SHORT, Grade.TERSE) and pace is not Pace.BUSY:
        return more(ROUNDS[grade], NO_HALT)
    waited_for = Grade.PENDING in [past.grade for past in one_round]
    return more(ROUNDS[grade], Extra(0, int(waited_for)))


def _repeated(step: Step, attempt: Attempt) -> bool:
    same = [past for past in step.run.attempts if past.call is not None and past.call == attempt.call]
    return len(same) >= _least(step)


def _verdict(step: Step, period: int, rounds: int, noise: Extra) -> Verdict | None:
    members = step.run.last(period * rounds)
    one_round = members[-period:]
    kind, grade, pace = kind_of(period), round_grade([past.grade for past in one_round]), step.pace(period * rounds)
    extra = more(_needed(step, len(members), one_round, grade, pace), noise)
    if pace is Pace.PATIENT:
        extra = more(extra, Extra(PATIENCE, PATIENCE))
    if any(past.loose for past in one_round):
        extra = more(extra, NO_HALT)
    graded = step.level(kind, rounds, extra)
    if graded is None:
        return None
    tools = tuple(dict.fromkeys(tool for past in one_round for tool in past.tools))
    return Verdict(
        kind=kind,
        level=graded,
        count=rounds,
        period=period,
        wasted=sum([past.size for past in members[period:]]),
        evidence=grade.evidence,
        tools=tools,
        first_span_id=members[0].span_id,
        why=f"went round {rounds} times in a cycle of {period} with the same results",
    )
