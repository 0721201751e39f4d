"""drift: one question in ever new words (or with a moving number), and always the same answer."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import NEVER, Extra
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.records import Streak

LITTLE_PROOF = 1
"""One more for an answer that proves little by itself, and one more with other work in between."""
CANNED = 2
"""More for data from a tool that was never seen to answer otherwise; a sentence from such a tool may be all it says."""


def one_answer(step: Step) -> Verdict | None:
    """The same successful answer to different requests.

    It is a loop only where the words of the requests come back, or every page is the same one: look-ups of many
    things may have one answer, too. An acknowledgement proves nothing, and neither does a tool that writes.
    """
    attempt, streak = step.attempt, step.run.streaks.get(step.reading.tool)
    if streak is None or attempt.failed or len(streak.requests) < 2:
        return None
    if not step.may_reach(Kind.DRIFT, streak.count):
        return None  # to compare the words costs 15 us
    if step.policy.side_effect or any(map(_does_something, attempt.deeds)):
        return None
    graded = step.level(Kind.DRIFT, streak.count, _extra(step, streak))
    if graded is None:
        return None
    return Verdict(
        kind=Kind.DRIFT,
        level=graded,
        count=streak.count,
        wasted=streak.count - 1,
        evidence=attempt.grade.evidence,
        tools=attempt.tools,
        first_span_id=streak.first_span,
        why=f"gave the same answer to {streak.count} differently worded calls",
    )


def _does_something(deed: str) -> bool:
    return verbs.writes(deed) or verbs.notes(deed) or verbs.hands_over(deed)


def _extra(step: Step, streak: Streak) -> Extra:
    grade, apart = step.attempt.grade, LITTLE_PROOF if streak.apart else 0
    if grade not in _TELLING or not (streak.surely_reworded if streak.loose else streak.reworded):
        return NEVER
    if streak.words.paged:
        return Extra(apart, None) if grade is Grade.INFORMATIVE and not streak.loose else NEVER
    little = LITTLE_PROOF if streak.loose or grade in _LITTLE else 0
    return Extra(apart + little, None if apart + little else _critical(step, streak))


_LITTLE = (Grade.EMPTY, Grade.SHORT, Grade.TERSE)
_TELLING = (*_LITTLE, Grade.UNDERWAY, Grade.INFORMATIVE)


def _critical(step: Step, streak: Streak) -> int | None:
    if not streak.surely_reworded:
        return None
    if streak.varied:
        return 0
    return CANNED if step.reading.text[:1] in ("{", "[") else None
