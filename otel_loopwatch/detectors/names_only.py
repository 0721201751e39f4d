"""no_progress, as far as names tell: neither arguments nor results were captured, and one tool is called for ever.

Reading many files looks the same, so it takes a long row, without pauses, and stays a warning: it says as much that
content should be captured as that something may be wrong.
"""

from __future__ import annotations

from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.cycle import kind_of
from otel_loopwatch.detectors.grading import ROUNDS, Extra
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade

IN_A_ROW = Extra(20, None)
"""Calls of one tool beyond the threshold."""
FAILING = Extra(5, None)
"""The same where every one of them failed."""


def in_a_row(step: Step) -> Verdict | None:
    """One tool's name, and nothing else is known."""
    if step.run.name_keys.quiet:
        return None
    count = step.run.name_keys.rounds(1)
    if not step.may_reach(Kind.NO_PROGRESS, count):
        return None
    failed = all(past.failed for past in step.run.last(count))
    why = f"was called {count} times in a row{' and failed each time' if failed else ''}"
    return _verdict(step, Kind.NO_PROGRESS, count, 1, FAILING if failed else IN_A_ROW, why)


def in_turns(step: Step) -> Verdict | None:
    """Names that go round, and nothing else is known."""
    keys = step.run.name_keys
    period = keys.shortest(2, start=2)
    if not period or keys.rounds(1) > period:
        return None
    kind, rounds = kind_of(period), keys.rounds(period)
    return _verdict(step, kind, rounds, period, ROUNDS[Grade.NOTHING], f"were called in turns {rounds} times")


def _verdict(step: Step, kind: Kind, count: int, period: int, extra: Extra, why: str) -> Verdict | None:
    graded = step.level(kind, count, extra)
    if graded is None or step.pace(count * period) is not Pace.BUSY:
        return None
    attempts = step.run.last(count * period)
    return Verdict(
        kind=kind,
        level=graded,
        count=count,
        period=period,
        wasted=0,
        evidence=Grade.NOTHING.evidence,
        tools=tuple(dict.fromkeys(tool for past in attempts[-period:] for tool in past.tools)),
        first_span_id=attempts[0].span_id,
        why=f"{why} (arguments and results were not captured)",
    )
