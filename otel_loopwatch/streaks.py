"""Per tool: how often in a row it gave the same answer, to whatever was asked, with little else in between."""

from __future__ import annotations

from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.runs import Attempt, Run, Streak
from otel_loopwatch.words import words_of

MAX_TOOLS = 16
"""Tools whose streaks are remembered per run."""
MAX_REQUESTS = 8
"""Distinct requests told apart per streak; more make no difference."""
BETWEEN = 3
"""Other attempts between two calls of a streak; more end it, and so does a change of the world."""

_TELLING = (Grade.EMPTY, Grade.SHORT, Grade.INFORMATIVE, Grade.ERROR, Grade.RETRYABLE)


def observe(run: Run, reading: Reading) -> None:
    """Take in the newest call."""
    attempt, answer = run.current, run.current.members[-1].answer
    streak = run.streaks.pop(reading.tool, None)
    if streak is None or answer is None or answer != streak.answer or _interrupted(run, streak, attempt):
        varied = streak is not None and (streak.varied or answer != streak.answer)
        streak = Streak(answer=answer, epoch=run.epoch, last=attempt.number, first_span=attempt.span_id, varied=varied)
    elif attempt.number != streak.last:
        _extend(streak, attempt, reading)
    request = attempt.members[-1].request
    if request is not None and request not in streak.requests and len(streak.requests) < MAX_REQUESTS:
        streak.requests.append(request)
    run.streaks[reading.tool] = streak
    if len(run.streaks) > MAX_TOOLS:
        del run.streaks[next(iter(run.streaks))]


def _interrupted(run: Run, streak: Streak, attempt: Attempt) -> bool:
    return run.epoch != streak.epoch or attempt.number - streak.last > BETWEEN + 1


def _extend(streak: Streak, attempt: Attempt, reading: Reading) -> None:
    """Words are collected from the second call on: most streaks never get there."""
    streak.apart = streak.apart or attempt.number - streak.last > 1
    streak.count += 1
    streak.last = attempt.number
    if reading.grade in _TELLING:
        streak.words.add(words_of(reading.arguments))
