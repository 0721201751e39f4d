"""no_progress: busy, but what comes back is known already."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import Extra
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Evidence, Kind, Level
from otel_loopwatch.outcomes import Grade

AGAIN = {
    Grade.ERROR: Extra(-1, -2),
    Grade.INFORMATIVE: Extra(0, 0),
    Grade.SHORT: Extra(0, None),
    Grade.TERSE: Extra(0, None),
    Grade.UNDERWAY: Extra(2, None),
    Grade.EMPTY: Extra(2, None),
    Grade.RETRYABLE: Extra(2, None),
}
"""The same attempt again, with others in between; what is done, polls, waits and clocks are not counted here."""

STALE_WINDOW = 12
STALE = Extra(3, None)
"""So many of the last `STALE_WINDOW` attempts were made before: periods may be hidden by noise, this is not."""
KNOWN_LINES = Extra(0, None)
"""Results in a row without a new line; overlaps happen in good work too."""
SAME_STATE = Extra(-2, None)
"""Attempts in a row with the same declared state."""


def again(step: Step) -> Verdict | None:
    """One attempt made again and again with nothing changed in between."""
    attempt = step.attempt
    seen = step.run.seen.get(attempt.call) if attempt.call is not None else None
    extra = AGAIN.get(attempt.grade)
    if seen is None or extra is None or not attempt.stale or all(map(verbs.waits, attempt.deeds)):
        return None
    graded = step.level(Kind.NO_PROGRESS, seen.count, extra)
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


def stale_share(step: Step) -> Verdict | None:
    """Most of the latest attempts were made before."""
    if not step.attempt.stale:
        return None
    recent = [past for past in step.run.last(STALE_WINDOW) if past.grade > Grade.PENDING]
    stale = [past for past in recent if past.stale]
    graded = step.level(Kind.NO_PROGRESS, len(stale), STALE)
    if graded is None or step.pace(STALE_WINDOW) is not Pace.BUSY:
        return None
    return _verdict(
        step,
        graded,
        len(stale),
        tuple(dict.fromkeys(tool for past in stale for tool in past.tools)),
        recent[0].span_id,
        f"brought nothing new in {len(stale)} of the last {STALE_WINDOW} attempts",
    )


def same_state(step: Step) -> Verdict | None:
    """The application declared the same state several times in a row."""
    count = step.run.state_turns
    graded = step.level(Kind.NO_PROGRESS, count, SAME_STATE)
    if graded is None:
        return None
    return _verdict(
        step,
        graded,
        count,
        step.attempt.tools,
        step.run.last(count)[0].span_id,
        f"left the declared state as it was {count} times in a row",
    )


def known_lines(step: Step) -> Verdict | None:
    """Different requests bring back lines that were all read before."""
    count = step.run.rereads if step.run.reread == step.attempt.number else 0
    graded = step.level(Kind.NO_PROGRESS, count, KNOWN_LINES)
    if graded is None or step.pace(count) is not Pace.BUSY:
        return None
    first = step.run.last(count)[0].span_id
    why = f"brought back only lines that had been read before, {count} times in a row"
    return _verdict(step, graded, count, step.attempt.tools, first, why)


def _verdict(step: Step, graded: Level, count: int, tools: tuple[str, ...], first: int, why: str) -> Verdict:
    evidence: Evidence = step.attempt.grade.evidence
    return Verdict(Kind.NO_PROGRESS, graded, count, count - 1, evidence, tools, first, why)
