"""drift: one question in ever new words (or with a moving number), and always the same answer."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import NEVER, Extra
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.runs import Streak

LITTLE_PROOF = 1
"""One more for an answer that proves little by itself, and one more with other work in between."""


def one_answer(step: Step) -> Verdict | None:
    """The same successful answer to different requests.

    An informative answer in a row proves it alone; it is critical only from a tool that was seen to answer otherwise.
    A short or empty one, or one with other calls in between, proves it only where the words of the requests come back:
    look-ups of many things have short and empty answers too. An acknowledgement proves nothing, and neither does a
    tool that writes.
    """
    attempt, streak = step.attempt, step.run.streaks.get(step.reading.tool)
    if streak is None or attempt.failed or len(streak.requests) < 2:
        return None
    if step.policy.side_effect or any(verbs.writes(tool) or verbs.notes(tool) for tool in attempt.tools):
        return None
    graded = step.level(Kind.DRIFT, streak.count, _extra(attempt.grade, streak))
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


def _extra(grade: Grade, streak: Streak) -> Extra:
    apart = LITTLE_PROOF if streak.apart else 0
    if grade is Grade.INFORMATIVE and not apart:
        return Extra(0, 0 if streak.reworded and streak.varied else None)
    if grade in (Grade.INFORMATIVE, Grade.SHORT, Grade.EMPTY) and streak.reworded:
        return Extra(apart + LITTLE_PROOF * (grade is not Grade.INFORMATIVE), None)
    return NEVER
