"""Per tool: how often in a row it gave the same answer, to whatever was asked, with little else in between."""

from __future__ import annotations

from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.records import Attempt, Streak
from otel_loopwatch.runs import Run
from otel_loopwatch.words import Words, words_of_request

MAX_TOOLS = 16
"""Tools whose streaks are remembered per run."""
MAX_REQUESTS = 8
"""Distinct requests told apart per streak; more make no difference."""
LOOSE_CHARACTERS = 200
"""Shorter answers that differ in a number differ: the number may be all they say. Not so failures."""
BETWEEN = 3
"""Other attempts between two calls of a streak; more end it, and so does a change of the world."""

_SILENT = (Grade.NOTHING, Grade.CLOCK, Grade.PENDING, Grade.ACK)


def observe(run: Run, reading: Reading) -> Words | None:
    """Take in the newest call; gives the words of its request if it had to look at them."""
    attempt, words = run.current, None
    request, answer = attempt.members[-1].request, attempt.members[-1].answer
    streak = run.streaks.pop(reading.tool, None)
    if streak is None or not _alike(streak, request, answer, reading) or _interrupted(run, streak, attempt):
        streak = _begin(run, answer, reading, streak)
    elif attempt.number != streak.last:
        streak.loose = streak.loose or answer != streak.answer
        words = _extend(streak, attempt, reading)
    if streak.loose and len(streak.requests) <= 1:
        streak.trend.add(reading.text)
    if request is not None and request not in streak.requests and len(streak.requests) < MAX_REQUESTS:
        streak.requests.append(request)
    run.streaks[reading.tool] = streak
    if len(run.streaks) > MAX_TOOLS:
        del run.streaks[next(iter(run.streaks))]
    return words


def _begin(run: Run, answer: int | None, reading: Reading, before: Streak | None) -> Streak:
    return Streak(
        answer=answer,
        gate=reading.gate,
        epoch=run.epoch,
        last=run.current.number,
        first_span=run.current.span_id,
        began=run.current.number,
        varied=before is not None and (before.varied or answer != before.answer),
    )


def _alike(streak: Streak, request: int | None, answer: int | None, reading: Reading) -> bool:
    """The same answer, or one in which only numbers differ: scores and timings of a search change with its wording."""
    if answer is None:
        return False
    if answer == streak.answer:
        return True
    if streak.gate != reading.gate:
        return False
    return reading.failed or len(reading.text) >= LOOSE_CHARACTERS or streak.requests == [request]


def _interrupted(run: Run, streak: Streak, attempt: Attempt) -> bool:
    return run.epoch != streak.epoch or attempt.number - streak.last > BETWEEN + 1


def _extend(streak: Streak, attempt: Attempt, reading: Reading) -> Words | None:
    """Words are collected from the second call on: most streaks never get there."""
    streak.count += 1
    streak.last = attempt.number
    if reading.grade in _SILENT:
        return None
    words = words_of_request(reading.arguments, reading.exact)
    streak.words.add(words)
    return words
