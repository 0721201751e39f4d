"""A stretch of time, played: three jobs, of which one loops, one is well and one runs into limits.

Everything is seeded and happens in simulated time, so that six hours take seconds and come out the same; only the time
that the control hook takes is real. What is read from the jobs is what Prometheus would have scraped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import ParamSpec, TypeVar

from live.agents import Stage, batch, coding, support
from live.jobs import Job
from live.queries import SCRAPE_S
from live.receiver import ACCEPTED, Receiver
from live.timeline import Timeline
from live.traces import lines
from otel_loopwatch.control.hook import halt
from otel_loopwatch.control.policy import ResponsePolicy
from otel_loopwatch.testing.scripted import NS_PER_S, Clock

P = ParamSpec("P")
T = TypeVar("T")

HOURS = 6.0
REFUSED = 400
AGENTS = ((support, 45.0, 45.0), (coding, 120.0, 120.0), (batch, 60.0, 35.0))
"""One per job, and the seconds from run to run: as a rule, and when little works."""
SUPPORT, CODING, BATCH = "support-agent", "coding-agent", "batch-agent"


@dataclass(frozen=True, slots=True)
class Stretch:
    """What was played, from ``start_s`` to ``end_s`` (seconds since the epoch)."""

    start_s: float
    end_s: float
    timeline: Timeline
    jobs: tuple[Job, ...]
    samples: Path
    """What was read from the jobs every ``SCRAPE_S`` seconds, in OpenMetrics with times."""
    traces: Path
    """The spans on which a loop is marked, a line of OTLP/JSON each."""

    def job(self, name: str) -> Job:
        """The job of a name."""
        return next(job for job in self.jobs if job.name == name)

    def go_on(self, until_s: float) -> None:
        """Play on, up to a time in seconds since the epoch."""
        self.timeline.go_on(int(until_s * NS_PER_S))


@contextmanager
def played(folder: Path, end_s: float, hours: float = HOURS) -> Iterator[Stretch]:
    """Play the hours before ``end_s``, and write what was read into ``folder``. The jobs live on until it is left."""
    start_s = end_s - hours * 3600
    clock = Clock(int(start_s * NS_PER_S))
    with Receiver(lambda number: REFUSED if number % 5 == 0 else ACCEPTED) as receiver, ExitStack() as stack:
        jobs = tuple(stack.enter_context(closing(job)) for job in _jobs(clock, receiver.url))
        timeline = _begun(clock, jobs, int(end_s * NS_PER_S))
        stretch = Stretch(start_s, end_s, timeline, jobs, folder / "samples.txt", folder / "traces.jsonl")
        _write_samples(stretch)
        with stretch.traces.open("w", encoding="utf-8") as out:
            for job in jobs:
                out.writelines(lines(job.loops.spans))
        yield stretch


def _write_samples(stretch: Stretch) -> None:
    """Play, and read on the way."""
    with stretch.samples.open("w", encoding="utf-8") as out:
        for number in range(1, int((stretch.end_s - stretch.start_s) / SCRAPE_S) + 1):
            at_s = stretch.start_s + number * SCRAPE_S
            stretch.go_on(at_s)
            for job in stretch.jobs:
                out.writelines(stamped(job, at_s))
        out.write("# EOF\n")


def stamped(job: Job, at_s: float) -> Iterator[str]:
    """The samples of a job at a moment, with the labels that a scrape adds."""
    target = f'job="{job.name}",instance="{job.instance}"'
    for name, labels, value in job.samples():
        yield f"{name}{{{target},{labels}}} {value} {at_s:.0f}\n"


def failing(what: Callable[P, T], every: int, error: type[Exception]) -> Callable[P, T]:
    """The function, which raises instead of each ``every``-th answer."""
    numbers = count(1)

    def answered(*args: P.args, **kwargs: P.kwargs) -> T:
        if next(numbers) % every == 0:
            raise error
        return what(*args, **kwargs)

    return answered


def _jobs(clock: Clock, receiver: str) -> tuple[Job, ...]:
    policy = ResponsePolicy()
    return (
        Job(SUPPORT, clock, policy, policy, webhook={"url": receiver + SUPPORT}),
        Job(CODING, clock, max_tool_names=6, tools={"job_status": {"polling": True}}),
        Job(
            BATCH,
            clock,
            failing(halt, 7, KeyError),
            own_clock=failing(clock, 499, OSError),
            webhook={"url": receiver + BATCH},
            max_runs=5,
            run_ttl_s=900,
            budget={"calls": 22},
        ),
    )


def _begun(clock: Clock, jobs: tuple[Job, ...], end_ns: int) -> Timeline:
    timeline = Timeline(clock)
    for job, (agent, every_s, in_trouble_s) in zip(jobs, AGENTS, strict=True):
        stage = Stage(timeline, Random(job.name), end_ns)  # noqa: S311 - a script, not a secret
        timeline.begin(stage.arrivals(every_s, in_trouble_s, partial(agent, stage, job)))
    return timeline
