"""What a run may use, what it has used, and how long it waits between two tries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf

SECOND = 1_000_000_000


def _at_least(name: str, value: float | None, least: float) -> None:
    if value is not None and not least <= value < inf:
        raise ValueError(f"{name} is {value!r}; it must be a finite number of at least {least:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Seconds between tries: ``first_s``, then ``factor`` times as long each, up to ``longest_s``. No jitter."""

    first_s: float = 1.0
    factor: float = 2.0
    longest_s: float = 60.0

    def __post_init__(self) -> None:
        _at_least("first_s", self.first_s, 0)
        _at_least("factor", self.factor, 1)
        _at_least("longest_s", self.longest_s, self.first_s)

    def delay_ns(self, tries: int) -> int:
        """How long to wait after so many tries, from 1."""
        delay = self.first_s
        for _ in range(tries - 1):
            if delay >= self.longest_s:
                break
            delay *= self.factor
        return int(min(delay, self.longest_s) * SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may use; None is no limit. Turns, calls, retries and waits count from the last progress.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    turns: int | None = None
    """Responses of the model."""
    tool_calls: int | None = None
    """Calls of tools, and results given from the ledger."""
    retries: int | None = 3
    """Further tries of one tool after failures that may pass, until it succeeds."""
    seconds: float | None = None
    """Wall-clock time of the run; no call outlives it."""
    tokens: int | None = None
    cost: float | None = None
    """In whatever unit ``turn`` is told."""
    wait_s: float = 600.0
    """How long one pending answer is waited for."""
    retry: Backoff = Backoff()
    """Between tries after a failure that may pass."""
    wait: Backoff = Backoff()
    """Between looks at an answer that is pending."""

    def __post_init__(self) -> None:
        for name in ("turns", "tool_calls", "retries", "seconds", "tokens", "cost", "wait_s"):
            _at_least(name, getattr(self, name), 0)

    def passed(self, used: Used, now_ns: int) -> str | None:
        """A sentence about the first limit that forbids one more call; None: it may be made."""
        counts = (
            ("turns", self.turns, used.turns, used.turns - 1),
            ("tool_calls", self.tool_calls, used.calls, used.calls),
            ("seconds", self.seconds, used.seconds(now_ns), used.seconds(now_ns)),
            ("tokens", self.tokens, used.tokens, used.tokens),
            ("cost", self.cost, used.cost, used.cost),
        )
        for name, limit, told, spent in counts:
            if limit is not None and spent >= limit:
                return f"The limit of {name} is {limit:g}, and {told:g} are used."
        return None

    def remaining_s(self, used: Used, now_ns: int) -> float | None:
        """Seconds left for a call; None: no deadline."""
        return None if self.seconds is None else self.seconds - used.seconds(now_ns)


@dataclass(slots=True)
class Used:
    """What a run has used so far."""

    started_ns: int
    turns: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    retries: Counter[str] = field(default_factory=Counter)
    """By tool."""

    def seconds(self, now_ns: int) -> float:
        """Since the run began."""
        return (now_ns - self.started_ns) / SECOND

    def moved_on(self) -> None:
        """Progress was made: what counts from there on begins anew. Time, tokens and cost are spent for good."""
        self.turns = self.calls = 0
        self.retries.clear()
