"""How often in a row a tool failed, and whether it is one thing that does not work.

Errors that come back are the difference between a form that is filled in step by step and one that is not understood.
"""

from __future__ import annotations

from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.records import Failing
from otel_loopwatch.runs import Run
from otel_loopwatch.words import Words, words_of_request

REMEMBERED = 8
"""Distinct errors and requests told apart; more make no difference."""


def observe(run: Run, reading: Reading, words: Words | None) -> None:
    """Take in the newest call, and its words if they are known; one that works ends the row."""
    attempt = run.current
    if not attempt.failed or reading.grade is not Grade.ERROR:
        run.failing = None
        return
    failing = run.failing
    if failing is None or failing.tool != reading.tool:
        failing = run.failing = Failing(tool=reading.tool, last=-1)
    if failing.last != attempt.number:
        _count(failing, run, words or words_of_request(reading.arguments, reading.exact))


def _count(failing: Failing, run: Run, words: Words) -> None:
    member = run.current.members[-1]
    failing.last = run.current.number
    failing.count += 1
    failing.again += _note(failing.errors, member.failure)
    failing.asked_again = _note(failing.requests, member.request) or failing.asked_again
    failing.words.add(words)


def _note(memory: list[int], digest: int | None) -> bool:
    """Whether that was there before."""
    if digest is None:
        return False
    if digest in memory:
        return True
    if len(memory) < REMEMBERED:
        memory.append(digest)
    return False
