"""The board: runs, loops and decisions as they stand now."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice, takewhile
from operator import itemgetter
from threading import Lock
from typing import NamedTuple

import msgspec

from otel_loopwatch.control.decisions import BY_LOOPWATCH, RunDecision, undecided
from otel_loopwatch.control.identity import trace_in
from otel_loopwatch.digests import Digests
from otel_loopwatch.gateway.rulings import Rulings
from otel_loopwatch.gateway.shown import Brief, Loop, RunState, Whole
from otel_loopwatch.gateway.waiters import Change, Waiters
from otel_loopwatch.gateway.watched import WatchedRun
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.tracker import RunEnded

MAX_RECENT_LOOPS = 4096
"""Loops that a listener who was away for a while is still told of, over all runs."""
AT_ONCE = 500
"""Changes told at once; the rest follows."""
MIB = 1 << 20


class Event(str, Enum):
    """What listeners are told of."""

    RUN = "run"
    DECISION = "decision"
    LOOP = "loop"


class Told(NamedTuple):
    """A change, as it is told."""

    version: int
    event: Event
    data: Brief | RunDecision | Loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which runs are asked for; None: all of them."""

    state: RunState | None = None
    tool: str | None = None
    agent: str | None = None
    text: str | None = None
    """Part of the key, the agent, the service or a tool, in whatever case."""
    limit: int


class Board:
    """Bounded by the number of runs and by bytes: the run that was quiet the longest makes room. For any thread.

    ``shown`` writes a fingerprint down, ``clock`` gives ns since the epoch. Every change has a version of its own:
    microseconds since the epoch at the start, then counted on. They rise over a restart; JavaScript keeps them whole.

    :raises ValueError: naming the argument, its value and the rule it breaks.
    """

    def __init__(
        self,
        *,
        max_runs: int = 10_000,
        max_bytes: int = 128 * MIB,
        shown: Callable[[int], str] | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        for name, value in (("max_runs", max_runs), ("max_bytes", max_bytes)):
            if value < 1:
                raise ValueError(f"{name} is {value}; it must be at least 1")
        self._max_runs = max_runs
        self._max_bytes = max_bytes
        self._shown = shown or Digests().fingerprint
        self._clock = clock
        self._lock = Lock()
        self._runs: OrderedDict[str, WatchedRun] = OrderedDict()
        self._of_trace: dict[str, str] = {}
        self._rulings = Rulings()
        self._recent: deque[tuple[int, Loop]] = deque(maxlen=MAX_RECENT_LOOPS)
        self.waiters = Waiters()
        self.version = clock() // 1000
        """Of the last change."""
        self.bytes = 0
        """About what it takes."""

    def __len__(self) -> int:
        return len(self._runs)

    # What happens.

    def take(self, seen: Seen, service: str = "") -> None:
        """A judged step of a run, of the service of this name."""
        key = seen.event.run
        with self._lock:
            ended = isinstance(seen.event, RunEnded)
            run = self._runs.get(key) if ended else self._run(key)
            if run is None:
                return
            run.ended = ended
            run.service = service or run.service
            self._step(run, seen)
            self._make_room()
        self.waiters.wake(Change.RUN, key)

    def identified(self, decision: RunDecision) -> RunDecision:
        """A decision with the trace and the agent of its run, as far as they are known."""
        run = self._runs.get(decision.run)
        trace_id, agent = (run.trace_id, run.agent or None) if run is not None else (trace_in(decision.run), None)
        return msgspec.structs.replace(decision, trace_id=decision.trace_id or trace_id, agent=decision.agent or agent)

    def decide(self, decision: RunDecision) -> RunDecision:
        """Have a decision hold; it is identified and given a version and a time. What then holds is returned."""
        with self._lock:
            held = self._rulings.of(decision.run)
            given = msgspec.structs.replace(
                self.identified(decision), version=self._next(), at_ns=decision.at_ns or self._clock()
            )
            if not self._rulings.add(given):
                return held or given
            if decision.run in self._runs:
                self._touch(self._runs[decision.run])
        self.waiters.wake(Change.DECISION, decision.run)
        self.waiters.wake(Change.RUN, decision.run)
        return given

    def restore(self, decisions: Iterable[RunDecision]) -> None:
        """Decisions of an earlier process, the oldest first; versions go on from theirs."""
        with self._lock:
            for decision in decisions:
                self._rulings.add(decision)
                self.version = max(self.version, decision.version)

    def decisions(self) -> list[RunDecision]:
        """Those of Loopwatch that hold, the oldest first: to be saved, as those of people are when they are made."""
        with self._lock:
            held = list(self._rulings.newest())
        return [decision for decision in reversed(held) if decision.by == BY_LOOPWATCH]

    # What is asked.

    def key_of(self, run: str) -> str:
        """The key of the run that is meant: by its key, or by the id of its trace."""
        return run if run in self._runs else self._of_trace.get(run, run)

    def runs(self, wanted: Wanted) -> list[Brief]:
        """Those asked for, the newest activity first."""
        with self._lock:
            return list(islice(self._briefs(wanted), wanted.limit))

    def run(self, key: str) -> Whole | None:
        """All that is known of a run; None where nothing is."""
        with self._lock:
            run = self._runs.get(key)
            return run.whole(self._rulings.history(key), self._shown) if run is not None else None

    def version_of(self, key: str) -> int:
        """Version of the last change of a run, or of the last decision about it; 0 where there was none."""
        run = self._runs.get(key)
        return max(run.version if run is not None else 0, self.decision(key).version)

    def decision(self, key: str) -> RunDecision:
        """What holds for a run."""
        return self._rulings.of(key) or undecided(key)

    def told_since(self, version: int, events: Collection[Event] = tuple(Event), run: str | None = None) -> list[Told]:
        """What changed after that version, in the order of versions, at most :data:`AT_ONCE` of it.

        A run that changed several times is told once, as it is now. A version of the future is none of ours: everything
        is told.
        """
        with self._lock:
            since = version if version <= self.version else 0
            changes = [each for event in events for each in self._since(event, since) if run in (None, each[1])]
            changes.sort(key=itemgetter(0))
            return [Told(number, *self._as_told(what)) for number, _, what in changes[:AT_ONCE]]

    # How it is kept.

    def _run(self, key: str) -> WatchedRun:
        run = self._runs.get(key)
        if run is None:
            run = self._runs[key] = WatchedRun(key)
        return run

    def _step(self, run: WatchedRun, seen: Seen) -> None:
        before, trace = run.bytes if run.version else 0, run.trace_id
        for loop in run.take(seen):
            self._recent.append((self._next(), loop))
        self.bytes += run.bytes - before
        if trace != run.trace_id or not run.version:
            self._lose_trace(run.key, trace)
            if run.trace_id:
                self._of_trace.setdefault(run.trace_id, run.key)
        self._touch(run)

    def _touch(self, run: WatchedRun) -> None:
        run.version = self._next()
        self._runs.move_to_end(run.key)

    def _next(self) -> int:
        self.version += 1
        return self.version

    def _make_room(self) -> None:
        while len(self._runs) > self._max_runs or (self.bytes > self._max_bytes and len(self._runs) > 1):
            key, run = self._runs.popitem(last=False)
            self.bytes -= run.bytes
            self._lose_trace(key, run.trace_id)

    def _lose_trace(self, key: str, trace: str) -> None:
        if self._of_trace.get(trace) == key:
            del self._of_trace[trace]

    def _briefs(self, wanted: Wanted) -> Iterator[Brief]:
        text = wanted.text.lower() if wanted.text else None
        for run in reversed(self._runs.values()):
            decision = self._rulings.of(run.key)
            if (
                wanted.state in (None, run.state(decision))
                and wanted.agent in (None, run.agent)
                and (wanted.tool is None or run.called(wanted.tool))
                and (text is None or run.mentions(text))
            ):
                yield run.brief(decision)

    def _since(self, event: Event, version: int) -> Iterator[tuple[int, str, WatchedRun | RunDecision | Loop]]:
        """Changes of one sort after a version, the newest first: version, run, and what changed."""
        changes: Iterator[tuple[int, str, WatchedRun | RunDecision | Loop]]
        if event is Event.RUN:
            changes = ((run.version, run.key, run) for run in reversed(self._runs.values()))
        elif event is Event.DECISION:
            changes = ((decision.version, decision.run, decision) for decision in self._rulings.newest())
        else:
            changes = ((number, loop.run, loop) for number, loop in reversed(self._recent))
        return takewhile(lambda change: change[0] > version, changes)

    def _as_told(self, what: WatchedRun | RunDecision | Loop) -> tuple[Event, Brief | RunDecision | Loop]:
        if isinstance(what, WatchedRun):
            return Event.RUN, what.brief(self._rulings.of(what.key))
        return (Event.DECISION if isinstance(what, RunDecision) else Event.LOOP), what
