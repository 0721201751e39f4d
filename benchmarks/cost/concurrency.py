"""Whether threads and tasks get in each other's way more than they do without us."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from threading import Thread

from opentelemetry.trace import Tracer

from . import tracing
from .dialects import DIALECTS, Written
from .exchanges import distinct
from .rows import Part, Row
from .timing import Measured, Subject, interleaved

AGENTS = 8
SPANS = 100
"""Of each agent in a portion."""
LIMIT = 1.15
DIALECT = DIALECTS["GenAI"]

Work = Callable[[Tracer, Sequence[Sequence[Written]]], None]
"""The runs of several agents."""


def rows() -> Iterator[Row]:
    """Per way to run eight agents: by how much more it costs than one after the other, over the same without us."""
    random = Random(5)
    without, watched = tracing.unwatched(), tracing.watched()
    ways: dict[str, Work] = {"alone": in_turn, "eight threads": in_threads, "eight asyncio tasks": in_tasks}
    subjects = {
        (way, tracer is watched): _subject(tracer, work, random)
        for way, work in ways.items()
        for tracer in (without, watched)
    }
    measured = interleaved({f"{way}/{ours}": subject for (way, ours), subject in subjects.items()})
    for way in ("eight threads", "eight asyncio tasks"):
        mine, theirs = ((measured[f"{way}/{ours}"], measured[f"alone/{ours}"]) for ours in (True, False))
        yield _row(way, mine, theirs)


def in_turn(tracer: Tracer, by_run: Sequence[Sequence[Written]]) -> None:
    """One agent after the other."""
    tracing.agent_runs(tracer, DIALECT, by_run)


def in_threads(tracer: Tracer, by_run: Sequence[Sequence[Written]]) -> None:
    """A thread per agent."""
    threads = [Thread(target=tracing.agent_runs, args=(tracer, DIALECT, [run])) for run in by_run]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_tasks(tracer: Tracer, by_run: Sequence[Sequence[Written]]) -> None:
    """A task per agent; all their tool spans are open at the same time as others'."""

    async def every_agent() -> None:
        await asyncio.gather(*(_agent(tracer, spans) for spans in by_run))

    asyncio.run(every_agent())


async def _agent(tracer: Tracer, spans: Sequence[Written]) -> None:
    agent, inside = tracing.agent(tracer, DIALECT)
    for one in spans:
        span = tracer.start_span(one.name, context=inside, attributes=one.begun)
        await asyncio.sleep(0)
        span.set_attributes(one.ended)
        span.end()
    agent.end()


def _subject(tracer: Tracer, work: Work, random: Random) -> Subject:
    spans = AGENTS * SPANS
    return Subject(spans, lambda: partial(work, tracer, tracing.written(DIALECT, distinct, spans, random)))


def _row(way: str, mine: tuple[Measured, Measured], theirs: tuple[Measured, Measured]) -> Row:
    """``mine`` and ``theirs``: many at once, and one after the other."""
    scaled, without = mine[0].over(mine[1]), theirs[0].over(theirs[1])
    detail = (
        f"{mine[0].microseconds:.1f} us per tool span, one after the other {mine[1].microseconds:.1f} us; "
        f"no-op processor {theirs[0].microseconds:.1f} us and {theirs[1].microseconds:.1f} us"
    )
    return Row(Part.CONCURRENCY, way, scaled / without, "x how the no-op processor scales", LIMIT, detail)
