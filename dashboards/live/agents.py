"""What the agents of the scripted stretch do: at work, in trouble, and at limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from random import Random

from live.jobs import Job
from live.runs import Run, Told
from live.tasks import listed, looked_up, read, served
from live.timeline import Play, Timeline
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.guard import GuardedRun, Limits
from otel_loopwatch.scenarios import SCENARIOS, Step
from otel_loopwatch.testing.scripted import NS_PER_S, Clock

TROUBLE_MIN = ((200, 180), (45, -inf))
"""When the support agent's search finds little, and the batch agent's queue is full of what does not work, in minutes
before the end."""
BLIND_MIN = (105, 60)
"""When the tools of the batch agent write no spans, in minutes before the end."""
LOOPS_IN_TROUBLE, LOOPS = 0.6, 0.02
"""Share of the support agent's runs."""
OBEYS = 0.35
"""How often an agent that is told of a loop does something else."""
WELL = 24
"""Runs of the batch agent that do what they should, for one of every sort that does not, when there is no trouble."""
STUBBORN = "duplicate_write"
GUARDED_CALLS = 4
"""What a guarded run may make at most."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where agents begin their runs, and how they decide."""

    timeline: Timeline
    random: Random
    end_ns: int

    def is_in(self, *minutes: tuple[float, float]) -> bool:
        """Whether the time lies in one of these pairs of minutes before the end."""
        left = (self.end_ns - self.timeline.clock()) / NS_PER_S / 60
        return any(start >= left >= end for start, end in minutes)

    @property
    def in_trouble(self) -> bool:
        """Whether little works."""
        return self.is_in(*TROUBLE_MIN)

    def arrivals(self, every_s: float, in_trouble_s: float, begun: Callable[[], Play]) -> Play:
        """A run begins every so often, on average."""
        while True:
            self.timeline.begin(begun())
            yield self.random.expovariate(1 / (in_trouble_s if self.in_trouble else every_s))


def support(stage: Stage, job: Job) -> Play:
    """An agent whose search now and then has no answer: it repeats itself until it is told, refused or halted.

    When it refunds once more, nothing that it is told helps.
    """
    random = stage.random
    run = Run(job, "support", random)
    if random.random() >= (LOOPS_IN_TROUBLE if stage.in_trouble else LOOPS):
        return _played(run, served(random))
    name = random.choice(("identical", "identical", "drift", "drift", STUBBORN))
    return _played(run, SCENARIOS[name].steps, obeys=0 if name == STUBBORN else OBEYS)


def coding(stage: Stage, job: Job) -> Play:
    """An agent that edits and tests, waits for its jobs, and reads much: all of it good work."""
    name = stage.random.choice(("edit_test", "edit_test", "poll", "paging", "reading"))
    steps = SCENARIOS[name].steps if name in SCENARIOS else read(stage.random)
    return _played(Run(job, "coder", stage.random, mcp=True), steps)


def batch(stage: Stage, job: Job) -> Play:
    """An agent that works off a queue, with limits of every kind, and is sometimes left alone."""
    if stage.is_in(BLIND_MIN):
        return _blind(Run(job, "batch", stage.random))
    plays: dict[str, Callable[[Run], Play]] = {
        "well": partial(_played, steps=listed(8)),
        "long": partial(_played, steps=listed(30)),
        "limited": partial(_played, steps=listed(5), end=_at_a_limit),
        "left": partial(_played, steps=listed(2), end=lambda run: None),
        **{
            name: partial(_played, steps=SCENARIOS[name].steps)
            for name in ("retry_storm", "ping_pong", "cycle", "no_progress")
        },
    }
    well = 0 if stage.in_trouble else WELL
    name = stage.random.choice((*plays, *["well"] * well, "guarded"))
    return plays[name](Run(job, "batch", stage.random)) if name in plays else _guarded(job, stage.random)


def _played(run: Run, steps: Sequence[Step], end: Callable[[Run], None] = Run.end, obeys: float = OBEYS) -> Play:
    """The steps, until the agent turns away from them or is halted."""
    for step in steps:
        yield step.after_s * run.random.uniform(1.0, 4.0)
        run.think()
        told = run.call(step)
        if told is Told.TO_END:
            run.end()
            return
        if told is Told.TO_CHANGE and run.random.random() < obeys:
            yield from _played(run, looked_up(run.random))
            return
    yield run.random.uniform(1.0, 4.0)
    run.think()
    end(run)


def _at_a_limit(run: Run) -> None:
    """As LangGraph ends it."""
    run.end("GraphRecursionError")


def _blind(run: Run) -> Play:
    """Its tools work, and nobody sees it."""
    for _ in range(6):
        yield run.random.uniform(5.0, 20.0)
        run.think()
    run.end()


def _guarded(job: Job, random: Random) -> Play:
    """It was done a minute ago, behind a guard with a limit, and tells of it now."""
    clock = Clock(job.clock() - 60 * NS_PER_S)
    key = f"import of {clock.now_ns}"

    def import_row(number: int) -> str:
        clock.advance(random.uniform(1.0, 4.0))
        return f"Row {number} of the {key} was written."

    gate, limits = Gate(meter_provider=job.meters, clock=clock), Limits(tool_calls=GUARDED_CALLS)
    with GuardedRun(key, agent="importer", gate=gate, limits=limits, clock=clock, tracer_provider=job.tracers) as run:
        for number in range(random.randrange(2, 2 * GUARDED_CALLS)):
            made = run.attempt(import_row, {"number": number})
            if not made.ok:
                run.stop(at=made)
        run.finish("All rows were written.")
    return iter(())
