"""A run and the bounded table of runs; a run keeps the last few dozen attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

import msgspec

from otel_loopwatch.aliases import Name
from otel_loopwatch.calibration.score import effort_of
from otel_loopwatch.cold import Packer, Shelf
from otel_loopwatch.model import RunSummary
from otel_loopwatch.numbers import Trend
from otel_loopwatch.periods import Periods
from otel_loopwatch.records import Asked, Attempt, Burst, Edit, Edits, Failing, Member, Seen, Streak
from otel_loopwatch.results import Results, Shape
from otel_loopwatch.words import Vocabulary


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
        request, answer = newest.request, newest.answer
        if request is None:
            return False
        for past in self.attempts:  # noqa: SIM110 - `any` takes twice as long
            if past.request == request and past.answer != answer:
                return True
        return False

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


RUN_BYTES = 256 * 1024
"""A run as objects: 52 KB at a full window with results of 1 KB, 200 to 290 KB where results are long and in many
alphabets; only one that has 16 siblings with such results in every attempt takes more (430 KB)."""

_PARTS = (Results, Shape, Vocabulary, Trend, Name, Periods, Burst, Edits, Edit, Failing, Asked, Streak, Seen)
_PACKER = Packer(Run, *_PARTS, Attempt, Member, last_ns=attrgetter("last_ns"))


class RunTable:
    """Live runs, the least recently active first; bounded by number, by bytes, and by time without a call."""

    def __init__(self, limit: int, max_bytes: int, ttl_ns: int, evicted: Callable[[str, Run], None]) -> None:
        self._runs = Shelf(_PACKER, RUN_BYTES, max_bytes)
        self._limit = limit
        self._ttl_ns = ttl_ns
        self._evicted = evicted

    def touch(self, key: str, now_ns: int) -> Run:
        """The run of that key, made anew if too old; drops at most two others that are, and any beyond the limits."""
        run = self._runs.use(key)
        if run is not None and now_ns - run.last_ns > self._ttl_ns:
            self._evict("ttl", key)
            run = None
        if run is None:
            run = Run(key=key, first_ns=now_ns, last_progress_ns=now_ns)
            self._runs.put(key, run)
        run.last_ns = max(run.last_ns, now_ns)
        self._drop_old(now_ns, key)
        self._drop_beyond()
        return run

    def _drop_old(self, now_ns: int, keep: str) -> None:
        for _ in range(2):
            key, last_ns = self._runs.oldest()
            if key == keep or now_ns - last_ns <= self._ttl_ns:
                break
            self._evict("ttl", key)

    def _drop_beyond(self) -> None:
        while len(self._runs) > self._limit or self._runs.overfull:
            self._evict("capacity", self._runs.oldest()[0])

    def _evict(self, reason: str, key: str) -> None:
        run = self._runs.pop(key)
        if run is not None:
            self._evicted(reason, run)

    def use(self, key: str) -> Run | None:
        """The run of that key, if it is live, to be changed."""
        return self._runs.use(key)

    def look(self, key: str) -> Run | None:
        """The run of that key as it stands, if it is live; not to be changed."""
        return self._runs.look(key)

    def pop(self, key: str) -> Run | None:
        """Free a run."""
        return self._runs.pop(key)

    def add(self, run: Run) -> None:
        """Put a restored run in."""
        self._runs.put(run.key, run)
        self._drop_beyond()

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return (run for _, run in self._runs.items())

    def without_values(self) -> Iterator[Run]:
        """Each run, from now on without anything that a result said."""
        return (run for _, run in self._runs.items(Run.drop_values))
