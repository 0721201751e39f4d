"""duplicate_write: a payment, message or record that succeeded is made once more."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import Evidence, Kind, Level, Outcome, ToolCall
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import ToolPolicy

MAX_WRITES = 64
"""Distinct writes remembered per run."""


def observe(run: Run, call: ToolCall, reading: Reading, policy: ToolPolicy) -> None:
    """Count a one-shot call that succeeded; siblings count each, for each was executed."""
    if is_write(call, reading, policy):
        assert reading.exact is not None
        run.writes[reading.exact ^ reading.tool] = run.writes.pop(reading.exact ^ reading.tool, 0) + 1
        if len(run.writes) > MAX_WRITES:
            del run.writes[next(iter(run.writes))]


def is_write(call: ToolCall, reading: Reading, policy: ToolPolicy) -> bool:
    """Whether this is a successful call with something in its arguments that must not happen twice."""
    if policy.side_effect is None:
        one_shot = verbs.one_shot(call.tool)
    else:
        one_shot = policy.side_effect
    known = reading.exact is not None and reading.arguments not in (None, {}, [], "")
    return one_shot and known and not reading.failed and reading.outcome in (Outcome.SUCCESS, Outcome.UNKNOWN)


def evaluate(step: Step) -> Verdict | None:
    """The same write succeeded before."""
    if not is_write(step.call, step.reading, step.policy):
        return None
    assert step.reading.exact is not None
    count = step.run.writes.get(step.reading.exact ^ step.reading.tool, 0)
    threshold = step.threshold(Kind.DUPLICATE_WRITE)
    if count < threshold.warning:
        return None
    return Verdict(
        kind=Kind.DUPLICATE_WRITE,
        level=Level.CRITICAL if count >= threshold.critical else Level.WARNING,
        count=count,
        wasted=count - 1,
        evidence=Evidence.STRONG,
        tools=(step.call.tool,),
        first_span_id=step.attempt.span_id,
        why=f"succeeded {count} times with exactly the same arguments",
    )
