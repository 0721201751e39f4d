"""ping_pong of edits: something is set, set otherwise, and set back, again and again.

Each edit succeeds, and in between there may be tests or looks, so no result need ever repeat.
"""

from __future__ import annotations

from collections.abc import Mapping

from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch import verbs
from otel_loopwatch.canonical import encode
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import Extra
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import Evidence, Kind, Level
from otel_loopwatch.records import Edit, Edits
from otel_loopwatch.runs import Run

REMEMBERED = 6
"""Edits remembered per tool."""
MAX_TOOLS = 8
"""Tools whose edits are remembered per run."""
RETURNS = Extra(0, 2)
"""Edits in a row that were made before and undone since."""


def observe(run: Run, reading: Reading) -> None:
    """Note a successful edit."""
    parts = _parts(reading)
    if parts is None:
        return
    edits = run.edits.pop(reading.tool, None) or Edits()
    run.edits[reading.tool] = edits
    if len(run.edits) > MAX_TOOLS:
        del run.edits[next(iter(run.edits))]
    edit = Edit(request=reading.folded or 0, parts=parts)
    if edits.past and edits.past[-1].request == edit.request:
        return
    edits.returns = edits.returns + 1 if _undone_since(edits, edit) else 0
    edits.last = run.current.number
    edits.past.append(edit)
    del edits.past[:-REMEMBERED]


def _parts(reading: Reading) -> list[int] | None:
    """Digests of the arguments one by one; ``None`` for what edits nothing, or only one thing that it names."""
    arguments = reading.arguments
    if reading.failed or not verbs.edits(reading.deed) or not isinstance(arguments, Mapping) or len(arguments) < 2:
        return None
    return [digest(encode(item)) for item in arguments.items()]


def _undone_since(edits: Edits, edit: Edit) -> bool:
    """Whether the same edit was made before, and another one of the same thing after it."""
    for number, past in enumerate(edits.past):
        if past.request == edit.request:
            return any(_overrides(later, edit) for later in edits.past[number + 1 :])
    return False


def _overrides(later: Edit, edit: Edit) -> bool:
    """Whether a later edit is another one of the same thing."""
    return later.request != edit.request and not set(later.parts).isdisjoint(edit.parts)


def back_and_forth(step: Step) -> Verdict | None:
    """Edits in a row that only restore what was there before."""
    edits = step.run.edits.get(step.reading.tool)
    if edits is None or not edits.returns or edits.last != step.attempt.number:
        return None
    graded = step.level(Kind.PING_PONG, edits.returns, RETURNS)
    if graded is None or step.pace(edits.returns) is not Pace.BUSY:
        return None
    return Verdict(
        kind=Kind.PING_PONG,
        level=graded,
        count=edits.returns,
        period=2,
        wasted=edits.returns,
        evidence=Evidence.STRONG if graded is Level.CRITICAL else Evidence.WEAK,
        tools=step.attempt.tools,
        first_span_id=step.run.last(2 * edits.returns)[0].span_id,
        why=f"made the same edits again {edits.returns} times in a row, each undone in between",
    )
