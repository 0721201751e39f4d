"""A run and the bounded table of runs; a run keeps the last few dozen attempts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator

import msgspec

from otel_loopwatch.aliases import Name
from otel_loopwatch.calibration.score import effort_of
from otel_loopwatch.model import RunSummary
from otel_loopwatch.numbers import Trend
from otel_loopwatch.periods import Periods
from otel_loopwatch.records import Asked, Attempt, Burst, Edits, Failing, Seen, Streak
from otel_loopwatch.results import Results


class Run(msgspec.Struct):
    """Everything remembered about one run; plain data, so that it can be saved and restored."""

    key: str
    group: str | None = None
    agent: str | None = None
    calls: int = 0
    turns: int = 0
    tokens: int = 0
    wasted: int = 0
    signals: int = 0
    in_vain: int = 0
    """Calls that failed, or brought nothing new."""
    repeat_max: int = 0
    progressed: bool = True
    first_ns: int = 0
    last_ns: int = 0
    last_progress_ns: int = 0
    user_turn: int | None = None
    version: int | None = None
    """Highest declared progress version."""
    state: str | None = None
    state_turns: int = 0
    """Attempts in a row with the same declared state."""
    state_attempt: int = 0
    """Number of the attempt that was counted last."""
    epoch: int = 0
    """Rises whenever the state of the world changed."""
    attempt_count: int = 0
    attempts: list[Attempt] = msgspec.field(default_factory=list)
    call_keys: Periods = msgspec.field(default_factory=Periods)
    answer_keys: Periods = msgspec.field(default_factory=Periods)
    request_keys: Periods = msgspec.field(default_factory=Periods)
    name_keys: Periods = msgspec.field(default_factory=Periods)
    seen: dict[int, Seen] = msgspec.field(default_factory=dict)
    failures: dict[int, int] = msgspec.field(default_factory=dict)
    """Key of a failed call -> times it failed so, whatever happened between."""
    writes: dict[int, int] = msgspec.field(default_factory=dict)
    """Digest of a one-shot call -> times it succeeded."""
    tool_calls: dict[str, int] = msgspec.field(default_factory=dict)
    ranges: dict[int, list[tuple[float, float]]] = msgspec.field(default_factory=dict)
    covered: dict[int, int] = msgspec.field(default_factory=dict)
    edits: dict[int, Edits] = msgspec.field(default_factory=dict)
    failing: Failing | None = None
    failure: int | None = None
    """Digest of the failure that the newest attempts have in common, whatever the tool."""
    failures_alike: int = 0
    """Attempts in a row that failed like that."""
    failure_attempt: int = -1
    """Number of the attempt that was counted last."""
    lines: dict[int, int] = msgspec.field(default_factory=dict)
    """Digests of result lines seen -> 1, in order."""
    rereads: int = 0
    """Attempts in a row, with different requests, whose results held no new line."""
    reread: int = -1
    """Number of the attempt that was counted last."""
    names: dict[str, Name] = msgspec.field(default_factory=dict)
    """Tools called so far, by name."""
    asked: dict[int, Asked] = msgspec.field(default_factory=dict)
    results: Results = msgspec.field(default_factory=Results)
    streaks: dict[int, Streak] = msgspec.field(default_factory=dict)
    burst: Burst | None = None
    spent: list[str] = msgspec.field(default_factory=list)
    """Budgets already reported."""

    @property
    def current(self) -> Attempt:
        """The newest attempt."""
        return self.attempts[-1]

    @property
    def answers_anew(self) -> bool:
        """Whether the newest request was answered otherwise before: what is read grows or changes."""
        newest = self.current
        if newest.request is None:
            return False
        return any(past.request == newest.request and past.answer != newest.answer for past in self.attempts[:-1])

    @property
    def effort(self) -> int:
        """Calls so far, those that failed or brought nothing new counted three times."""
        return effort_of(self.calls, self.in_vain)

    def last(self, number: int) -> list[Attempt]:
        """The last ``number`` attempts that are still remembered."""
        return self.attempts[-number:]

    def forget(self) -> None:
        """Start afresh: the window is emptied, the counters that describe the run stay."""
        self.attempts.clear()
        for keys in (self.call_keys, self.answer_keys, self.request_keys, self.name_keys):
            keys.clear()
        for memory in (
            self.seen,
            self.failures,
            self.writes,
            self.ranges,
            self.covered,
            self.lines,
            self.streaks,
            self.edits,
        ):
            memory.clear()
        self.failing = None
        self.state_turns = self.rereads = self.failures_alike = 0

    def drop_values(self) -> None:
        """Keep nothing that a result said, as saved state must; what is compared with it starts anew."""
        self.results.drop_texts()
        for streak in self.streaks.values():
            streak.trend = Trend()

    def summary(self) -> RunSummary:
        """The run as it stands."""
        return RunSummary(
            run=self.key,
            agent=self.agent,
            calls=self.calls,
            turns=self.turns,
            tokens=self.tokens,
            wasted_calls=self.wasted,
            repeat_max=self.repeat_max,
            progressed=self.progressed,
            signals=self.signals,
            looping=self.burst is not None,
            first_ns=self.first_ns,
            last_ns=self.last_ns,
            last_progress_ns=self.last_progress_ns,
        )


class RunTable:
    """Live runs, the least recently active first; bounded by number and by time without a call."""

    def __init__(self, limit: int, ttl_ns: int, evicted: Callable[[str, Run], None]) -> None:
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._limit = limit
        self._ttl_ns = ttl_ns
        self._evicted = evicted

    def touch(self, key: str, now_ns: int) -> Run:
        """The run of that key, made anew if too old; drops at most two others that are, and any beyond the limit."""
        run = self._runs.get(key)
        if run is not None and now_ns - run.last_ns > self._ttl_ns:
            self._evicted("ttl", self._runs.pop(key))
            run = None
        if run is None:
            run = self._runs[key] = Run(key=key, first_ns=now_ns, last_progress_ns=now_ns)
        else:
            self._runs.move_to_end(key)
        run.last_ns = max(run.last_ns, now_ns)
        self._evict(now_ns, key)
        return run

    def _evict(self, now_ns: int, keep: str) -> None:
        for _ in range(2):
            key, oldest = next(iter(self._runs.items()))
            if key == keep or now_ns - oldest.last_ns <= self._ttl_ns:
                break
            self._evicted("ttl", self._runs.pop(key))
        while len(self._runs) > self._limit:
            self._evicted("capacity", self._runs.popitem(last=False)[1])

    def get(self, key: str) -> Run | None:
        """The run of that key, if it is live."""
        return self._runs.get(key)

    def pop(self, key: str) -> Run | None:
        """Free a run."""
        return self._runs.pop(key, None)

    def add(self, run: Run) -> None:
        """Put a restored run in."""
        self._runs[run.key] = run

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs.values())
