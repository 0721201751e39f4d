"""drift: one question in ever new words (or with a moving number), and always the same answer."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import Extra, level
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.runs import Run
from otel_loopwatch.words import Vocabulary, words_of

SAME_WORDS = 0.4
"""Share of words that come back from which requests are rewordings of one question."""
SHORT_ANSWER = 1
"""One more for an answer that proves little by itself."""


def observe(run: Run, reading: Reading) -> None:
    """Collect the words of a streak of equal answers, from the second on: most streaks never get there."""
    if run.answer_keys.rounds(1) > 1 and reading.grade in _TELLING:
        run.words.add(words_of(reading.arguments))
    elif run.words.requests:
        run.words = Vocabulary()


def evaluate(step: Step) -> Verdict | None:
    """The same successful answer to different requests in a row.

    An informative answer proves it alone. A short or empty one proves it only where the words of the requests come
    back, for look-ups of many things have short and empty answers too. An acknowledgement proves nothing.
    """
    run, attempt = step.run, step.attempt
    count = run.answer_keys.rounds(1)
    threshold = step.threshold(Kind.DRIFT)
    if count < threshold.warning or attempt.failed or run.call_keys.rounds(1) == count:
        return None
    if any(verbs.writes(tool) or step.policy.side_effect for tool in attempt.tools):
        return None
    graded = level(count, threshold, _extra(attempt.grade, run.words.recurrence() >= SAME_WORDS))
    if graded is None:
        return None
    same = run.last(count)
    return Verdict(
        kind=Kind.DRIFT,
        level=graded,
        count=count,
        wasted=sum(past.size for past in same[1:]),
        evidence=attempt.grade.evidence,
        tools=attempt.tools,
        first_span_id=same[0].span_id,
        why=f"gave the same answer to {count} differently worded calls in a row",
    )


_TELLING = (Grade.EMPTY, Grade.SHORT, Grade.INFORMATIVE)
NEVER = Extra(1_000_000, None)


def _extra(grade: Grade, reworded: bool) -> Extra:
    if grade is Grade.INFORMATIVE:
        return Extra(0, 0 if reworded else None)
    if grade in (Grade.SHORT, Grade.EMPTY) and reworded:
        return Extra(SHORT_ANSWER, None)
    return NEVER
