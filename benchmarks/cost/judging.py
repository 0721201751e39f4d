"""What the engine costs per call, beside the span that the call is read from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from random import Random

import xxhash
from opentelemetry.trace import Tracer

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import ToolCall

from . import engine_calls, tracing
from .dialects import DIALECTS
from .exchanges import WORKLOADS, Workload, distinct
from .rows import Part, Row
from .timing import Measured, Subject, interleaved
from .wording import WORDS

SPAN_LIMIT = 0.5
CALLS = 500
LARGE = 1_000_000
LARGE_CALLS = 20
HASH_LIMIT = 1.1
"""Hashing once, and a tenth for what cannot be measured more exactly."""


def rows() -> Iterator[Row]:
    """A row per workload, and one for arguments of a megabyte."""
    random = Random(1)
    tracer, engine = tracing.unwatched(), Engine()
    subjects = {"span": Subject(CALLS, lambda: _bare_spans(tracer, random))}
    subjects |= {name: _observing(engine, workload, random) for name, workload in WORKLOADS.items()}
    measured = interleaved(subjects)
    span = measured["span"]
    for name in WORKLOADS:
        mine = measured[name]
        yield Row(Part.ENGINE, f"calls, {name}", mine.over(span), "x a bare span", SPAN_LIMIT, against(mine, span))
    yield _large()


def against(mine: Measured, other: Measured) -> str:
    """Both costs, as the row's detail."""
    return f"{mine.microseconds:.1f} us against {other.microseconds:.1f} us"


def _observing(engine: Engine, workload: Workload, random: Random) -> Subject:
    return Subject(CALLS, lambda: _observe_all(engine, engine_calls.calls(workload, CALLS, random)))


def _observe_all(engine: Engine, calls: list[ToolCall]) -> Callable[[], None]:
    def work() -> None:
        for call in calls:
            engine.observe(call)

    return work


def _bare_spans(tracer: Tracer, random: Random) -> Callable[[], None]:
    """Tool spans with six attributes, the arguments among them, and a processor that does nothing."""
    spans = [span for run in tracing.written(DIALECTS["GenAI"], distinct, CALLS, random) for span in run]

    def work() -> None:
        for span in spans:
            tracer.start_span(span.name, attributes=span.begun).end()

    return work


def _large() -> Row:
    """Arguments of a megabyte, against encoding and hashing them once and judging a small call."""
    engine, random, numbers = Engine(), Random(2), count()

    def texts() -> list[str]:
        word = " ".join(random.choices(WORDS, k=1000))
        return [json.dumps({"text": f"{next(numbers)} {word * (LARGE // len(word))}"}) for _ in range(LARGE_CALLS)]

    def observing() -> Callable[[], None]:
        return _observe_all(
            engine, [ToolCall(run="large", tool="read_page", arguments=text, result="done") for text in texts()]
        )

    def hashing() -> Callable[[], object]:
        made = texts()
        return lambda: [xxhash.xxh3_64_intdigest(text.encode()) for text in made]

    measured = interleaved(
        {
            "large": Subject(LARGE_CALLS, observing),
            "hash": Subject(LARGE_CALLS, hashing),
            "small": _observing(engine, distinct, random),
        }
    )
    hashed = measured["hash"].microseconds + measured["small"].microseconds
    ratio = measured["large"].microseconds / hashed
    detail = f"{measured['large'].microseconds:.0f} us against {hashed:.0f} us"
    return Row(Part.ENGINE, "1 MB of arguments", ratio, "x hashing them once and a small call", HASH_LIMIT, detail)
