"""What the processor costs per span, beside one that does nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from opentelemetry.trace import Tracer

from . import tracing
from .dialects import DIALECTS, Dialect
from .exchanges import distinct
from .judging import against
from .rows import Part, Row
from .timing import Subject, interleaved

TOOL_LIMIT, BARE_TOOL_LIMIT, ORDINARY_LIMIT = 1.5, 1.25, 1.06
SPANS = 500
ORDINARY_SPANS = 2000

Under = Callable[[Tracer], Subject]
"""The same work for a tracer with any processor."""


def rows() -> Iterator[Row]:
    """Tool spans of every dialect with the content and without, then ordinary spans."""
    random = Random(3)
    for content, limit in ((True, TOOL_LIMIT), (False, BARE_TOOL_LIMIT)):
        for name, dialect in DIALECTS.items():
            what = f"tool span, {name}, content {'present' if content else 'absent'}"
            yield _row(what, limit, partial(_tool_spans, dialect, content, random))
    yield _row("ordinary span", ORDINARY_LIMIT, _ordinary_spans)


def _row(what: str, limit: float, under: Under) -> Row:
    measured = interleaved({"without": under(tracing.unwatched()), "watched": under(tracing.watched())})
    without, watched = measured["without"], measured["watched"]
    return Row(Part.SPANS, what, watched.over(without), "x the no-op processor", limit, against(watched, without))


def _tool_spans(dialect: Dialect, content: bool, random: Random, tracer: Tracer) -> Subject:
    return Subject(
        SPANS,
        lambda: partial(
            tracing.agent_runs, tracer, dialect, tracing.written(dialect, distinct, SPANS, random, content)
        ),
    )


def _ordinary_spans(tracer: Tracer) -> Subject:
    return Subject(ORDINARY_SPANS, lambda: partial(tracing.ordinary_spans, tracer, ORDINARY_SPANS))
