"""What is noted of each call for single rules, before they judge it."""

from __future__ import annotations

from otel_loopwatch import failing, lines, streaks
from otel_loopwatch.detectors import Step, coverage, duplicate_write, flip_flop
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import ToolCall
from otel_loopwatch.runs import Run


def remember(step: Step) -> None:
    """Feed the memories that only single rules read, in one place and order."""
    run, call, reading = step.run, step.call, step.reading
    coverage.observe(run, reading, run.current.changes)
    duplicate_write.observe(run, call, reading, step.policy)
    flip_flop.observe(run, reading)
    _note_state(run, call)
    _note_failure(run)
    _count_in_vain(run, reading)
    words = streaks.observe(run, reading)
    failing.observe(run, reading, words)
    lines.observe(run, reading)


def _count_in_vain(run: Run, reading: Reading) -> None:
    """What is unknown may be new."""
    known_before = run.current.call is not None and not run.current.new
    run.in_vain += reading.failed or known_before


def _note_failure(run: Run) -> None:
    """Count attempts in a row that failed with one and the same text."""
    attempt = run.current
    failure = attempt.members[-1].failure if attempt.failed else None
    if failure is None or failure != run.failure:
        run.failure, run.failures_alike, run.failure_attempt = failure, int(failure is not None), attempt.number
    elif attempt.number != run.failure_attempt:
        run.failures_alike, run.failure_attempt = run.failures_alike + 1, attempt.number


def _note_state(run: Run, call: ToolCall) -> None:
    if call.state is None:
        return
    if call.state != run.state:
        run.state_turns = 0
    if not run.state_turns or run.current.number != run.state_attempt:
        run.state_turns += 1
    run.state, run.state_attempt = call.state, run.current.number
