"""duplicate_write: a payment, message or record that succeeded is made once more."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import NO_EXTRA, Extra
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import Evidence, Kind, Outcome, ToolCall
from otel_loopwatch.records import Attempt
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import ToolPolicy

UNSEEN = Extra(0, None)
"""Where no result was captured, nobody knows whether it succeeded."""
MAX_WRITES = 64
"""Distinct writes remembered per run."""


def observe(run: Run, call: ToolCall, reading: Reading, policy: ToolPolicy) -> None:
    """Count a one-shot call that succeeded; siblings count each, for each was executed."""
    key = write_key(run, call, reading, policy)
    if key is not None:
        run.writes[key] = run.writes.pop(key, 0) + 1
        if len(run.writes) > MAX_WRITES:
            del run.writes[next(iter(run.writes))]


def write_key(run: Run, call: ToolCall, reading: Reading, policy: ToolPolicy) -> int | None:
    """Key of a successful call, with something in its arguments, that must not happen twice; else ``None``."""
    one_shot = verbs.one_shot(reading.deed) if policy.side_effect is None else policy.side_effect
    if not one_shot or reading.exact is None or reading.arguments in (None, {}, [], ""):
        return None
    done = not reading.failed and reading.outcome in (Outcome.SUCCESS, Outcome.UNKNOWN)
    since = run.epoch if verbs.stateful(reading.deed) else 0
    return reading.exact ^ reading.tool ^ since if done else None


def done_again(step: Step) -> Verdict | None:
    """The same write succeeded before."""
    key = write_key(step.run, step.call, step.reading, step.policy)
    if key is None:
        return None
    count = step.run.writes.get(key, 0)
    graded = step.level(Kind.DUPLICATE_WRITE, count, UNSEEN if step.reading.raw is None else NO_EXTRA)
    if graded is None:
        return None
    return Verdict(
        kind=Kind.DUPLICATE_WRITE,
        level=graded,
        count=count,
        wasted=count - 1,
        evidence=Evidence.STRONG,
        tools=(step.call.tool,),
        first_span_id=_first(step).span_id,
        why=f"succeeded {count} times with exactly the same arguments",
    )


def _first(step: Step) -> Attempt:
    """The earliest such write that is still remembered."""
    same = (past for past in step.run.attempts if past.exact == step.reading.exact and step.call.tool in past.tools)
    return next(same, step.attempt)
