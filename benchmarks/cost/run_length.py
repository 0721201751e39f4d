"""Whether the cost of a call depends on how long its run is already."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

from opentelemetry.context import Context
from opentelemetry.trace import Tracer

from . import tracing
from .dialects import DIALECTS
from .exchanges import distinct
from .judging import against
from .rows import Part, Row
from .timing import Subject, interleaved

STEPS = (100, 1_000, 10_000, 100_000)
LIMIT = 1.1
SPANS = 50
"""Few, so that a run that was short stays so."""
DIALECT = DIALECTS["GenAI"]


def rows(steps: tuple[int, ...] = STEPS) -> Iterator[Row]:
    """A row per length but the first, which the others are compared with."""
    measured = interleaved({str(length): _long_run(length) for length in steps})
    first = measured[str(steps[0])]
    for length in steps[1:]:
        mine = measured[str(length)]
        what = f"tool span at step {length:,} of a run"
        yield Row(Part.LENGTH, what, mine.over(first), f"x step {steps[0]}", LIMIT, against(mine, first))


def _long_run(length: int) -> Subject:
    """An agent that has made so many calls, and makes some more."""
    random, tracer = Random(4), tracing.watched()
    agent, inside = tracing.agent(tracer, DIALECT)
    for made in range(0, length, SPANS):
        _more(tracer, inside, random, min(SPANS, length - made))()

    def prepare() -> partial[None]:
        _ = agent  # spans are watched while somebody holds them
        return _more(tracer, inside, random, SPANS)

    return Subject(SPANS, prepare)


def _more(tracer: Tracer, inside: Context, random: Random, spans: int) -> partial[None]:
    (run,) = tracing.written(DIALECT, distinct, spans, random)
    return partial(tracing.tool_spans, tracer, inside, run)
