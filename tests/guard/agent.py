"""A clock, a tool that counts, and a run, for the tests of the guard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from otel_loopwatch.guard import GuardedRun, run
from otel_loopwatch.guard.limits import SECOND

START_NS = 1_780_000_000 * SECOND


@dataclass
class Clock:
    """A clock that is moved by hand, or by whoever sleeps."""

    now: int = START_NS

    def __call__(self) -> int:
        """Ns since the epoch."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Time passes."""
        self.now += int(seconds * SECOND)


@dataclass
class Script:
    """A tool that gives one result after the other, the last one for ever; exceptions are raised."""

    results: Sequence[object] = ("ok",)
    name: str = "tool"
    calls: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.__name__ = self.name

    def __call__(self, **arguments: Any) -> object:
        """One call."""
        self.calls.append(arguments)
        result = self.results[min(len(self.calls), len(self.results)) - 1]
        if isinstance(result, BaseException):
            raise result
        return result

    @property
    def count(self) -> int:
        """How often it ran."""
        return len(self.calls)


def guarded(clock: Clock | None = None, **arguments: Any) -> GuardedRun:
    """A run on a clock that stands still unless it is moved."""
    return run("order-4711", clock=clock or Clock(), **arguments)
