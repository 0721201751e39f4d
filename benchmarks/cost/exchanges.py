"""What agents do: distinct work, asking again, looping, and looping behind ids that differ every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from random import Random

from . import wording

CALLS_PER_RUN = 100
TOOLS = ("search_orders", "read_page", "list_entries", "find_customer", "look_up", "fetch_report")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call as text: what is asked of a tool, and what comes back."""

    tool: str
    arguments: str
    result: str


Workload = Callable[[Random], Iterator[Exchange]]
"""The calls of one run, without end."""


def distinct(random: Random) -> Iterator[Exchange]:
    """Every call in new words and a new shape, and so is every result."""
    while True:
        yield _new(random)


def repeated(random: Random) -> Iterator[Exchange]:
    """The same call, and a new result each time."""
    asked = _new(random)
    while True:
        yield Exchange(asked.tool, asked.arguments, wording.result(random))


def looping(random: Random) -> Iterator[Exchange]:
    """The same call with the same result."""
    asked = _new(random)
    while True:
        yield asked


def volatile(random: Random) -> Iterator[Exchange]:
    """The same call with a result that differs in its time and request id only."""
    asked = _new(random)
    while True:
        yield Exchange(asked.tool, asked.arguments, wording.stamped(random, asked.result))


WORKLOADS: Mapping[str, Workload] = {
    "distinct": distinct,
    "repeated": repeated,
    "looping": looping,
    "volatile ids": volatile,
}


def runs(workload: Workload, calls: int, random: Random) -> Iterator[list[Exchange]]:
    """So many calls, in runs of ``CALLS_PER_RUN``; each run starts anew."""
    for first in range(0, calls, CALLS_PER_RUN):
        yield list(islice(workload(random), min(CALLS_PER_RUN, calls - first)))


def _new(random: Random) -> Exchange:
    return Exchange(random.choice(TOOLS), wording.arguments(random), wording.result(random))
