"""no_progress: busy, but what comes back is known already."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict, worst
from otel_loopwatch.detectors.grading import Extra, level
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Evidence, Kind, Level
from otel_loopwatch.outcomes import Grade

AGAIN = {
    Grade.ERROR: Extra(-2, -2),
    Grade.INFORMATIVE: Extra(0, 0),
    Grade.SHORT: Extra(0, None),
    Grade.EMPTY: Extra(2, None),
    Grade.ACK: Extra(2, None),
    Grade.RETRYABLE: Extra(2, None),
}
"""The same attempt again, with others in between; polls, waits and clocks are not counted here."""

STALE_WINDOW = 12
STALE = 8
"""So many of the last `STALE_WINDOW` attempts were made before: periods may be hidden by noise, this is not."""
SAME_STATE = 3
"""Attempts in a row with the same declared state."""


def evaluate(step: Step) -> Verdict | None:
    """Nothing new, in one of three ways."""
    return worst(_same_state(step), _again(step), _stale_share(step))


def _again(step: Step) -> Verdict | None:
    """One attempt made again and again with nothing changed in between."""
    attempt = step.attempt
    seen = step.run.seen.get(attempt.call) if attempt.call is not None else None
    extra = AGAIN.get(attempt.grade)
    if seen is None or extra is None or not attempt.stale or all(map(verbs.waits, attempt.tools)):
        return None
    graded = level(seen.count, step.threshold(Kind.NO_PROGRESS), extra)
    if graded is None or step.run.call_keys.rounds(1) == seen.count:
        return None
    return _verdict(
        step,
        graded,
        seen.count,
        attempt.tools,
        seen.first_span,
        f"gave the same result to the same call {seen.count} times, and nothing changed in between",
    )


def _stale_share(step: Step) -> Verdict | None:
    if not step.attempt.stale:
        return None
    recent = [past for past in step.run.last(STALE_WINDOW) if past.grade > Grade.PENDING]
    stale = [past for past in recent if past.stale]
    if len(stale) < max(STALE, step.threshold(Kind.NO_PROGRESS).warning) or step.pace(STALE_WINDOW) is not Pace.BUSY:
        return None
    return _verdict(
        step,
        Level.WARNING,
        len(stale),
        tuple(dict.fromkeys(tool for past in stale for tool in past.tools)),
        recent[0].span_id,
        f"brought nothing new in {len(stale)} of the last {STALE_WINDOW} attempts",
    )


def _same_state(step: Step) -> Verdict | None:
    count = step.run.state_turns
    if count < SAME_STATE:
        return None
    return _verdict(
        step,
        Level.WARNING,
        count,
        step.attempt.tools,
        step.run.last(count)[0].span_id,
        f"left the declared state as it was {count} times in a row",
    )


def _verdict(step: Step, graded: Level, count: int, tools: tuple[str, ...], first: int, why: str) -> Verdict:
    evidence: Evidence = step.attempt.grade.evidence
    return Verdict(Kind.NO_PROGRESS, graded, count, count - 1, evidence, tools, first, why)
