"""What runs cost in memory while they live, after their end, and when they never end.

``python -m cost.remembering QUESTION NUMBER`` answers one question in a process of its own, as JSON.
"""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any

from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch import LoopwatchSpanProcessor
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import ToolCall

from . import engine_calls, tracing
from .dialects import DIALECTS
from .exchanges import Exchange, distinct
from .process_memory import resident_bytes
from .rows import Part, Row

LIVE = {10: 1000, 100: 1000, 1000: 20}
"""Runs that live at once, by their calls: of a thousand, most are held packed; of twenty, none."""
LIVE_LIMIT_KB = 4.0
ENDED = 1_000_000
NEVER_ENDED = 200_000
LEFT_LIMIT_MB = 4.0
"""For what the allocator keeps; a run that left 100 bytes would leave 100 MB."""
SMALL = Exchange("look_up", '{"query": "lamp"}', "The lamp stands in the hall")

Answers = Mapping[tuple[str, int], Any]
"""By question and number."""


def questions() -> Iterator[tuple[str, int]]:
    """What is to be asked."""
    yield from (("live", length) for length in LIVE)
    yield "ended", ENDED
    yield "never_ended", NEVER_ENDED


def live(length: int) -> float:
    """Bytes per live run after so many distinct calls, by `tracemalloc`: what their end gives back, caches excluded."""
    random, engine, runs = Random(6), Engine(), LIVE[length]
    tracemalloc.start()
    keys = [_observed(engine, random, length) for _ in range(runs)]
    held = _traced()
    for key in keys:
        engine.end(key)
    return (held - _traced()) / runs


def ended(runs: int) -> int:
    """Bytes by which the process has grown after so many runs of one call, all ended; the first tenth warms it up."""
    engine = Engine()
    for number in range(runs):
        if number == runs // 10:
            gc.collect()
            before = resident_bytes()
        key = str(number)
        engine.observe(_small(key))
        engine.end(key)
    gc.collect()
    return resident_bytes() - before


def never_ended(runs: int) -> dict[str, int]:
    """Agents that start, call a tool and are forgotten: runs remembered, and growth over the second half of them."""
    processor = LoopwatchSpanProcessor()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor)
    tracer, dialect = provider.get_tracer(tracing.SCOPE), DIALECTS["GenAI"]
    for number in range(runs):
        if number == runs // 2:
            gc.collect()
            before = resident_bytes()
        _, inside = tracing.agent(tracer, dialect)
        tracing.tool_spans(tracer, inside, [dialect.written(SMALL, number)])
    gc.collect()
    return {"remembered": processor.live_runs, "capacity": processor.capacity, "growth": resident_bytes() - before}


def rows(answers: Answers) -> Iterator[Row]:
    """A row per answer; the number of runs that are remembered has one of its own."""
    for length, runs in LIVE.items():
        what = f"a live run of {runs:,}, after {length:,} calls each"
        yield Row(Part.MEMORY, what, answers["live", length] / 1000, "KB", LIVE_LIMIT_KB)
    left = answers["ended", ENDED] / 1e6
    yield Row(Part.MEMORY, f"left by {ENDED * 9 // 10:,} runs after their end", left, "MB", LEFT_LIMIT_MB)
    forgotten = answers["never_ended", NEVER_ENDED]
    what = f"runs remembered of {NEVER_ENDED:,} that never end"
    yield Row(Part.MEMORY, what, forgotten["remembered"] / forgotten["capacity"], "x `max_runs`", 1.0)
    what = f"growth over the last {NEVER_ENDED // 2:,} of them"
    yield Row(Part.MEMORY, what, forgotten["growth"] / 1e6, "MB", LEFT_LIMIT_MB)


def _observed(engine: Engine, random: Random, length: int) -> str:
    """The key of a new run of so many calls."""
    for call in engine_calls.of_run(islice(distinct(random), length)):
        engine.observe(call)
    return call.run


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _small(run: str) -> ToolCall:
    return ToolCall(run=run, group=run, tool=SMALL.tool, arguments=SMALL.arguments, result=SMALL.result)


if __name__ == "__main__":
    answer = {"live": live, "ended": ended, "never_ended": never_ended}[sys.argv[1]]
    print(json.dumps(answer(int(sys.argv[2]))))
