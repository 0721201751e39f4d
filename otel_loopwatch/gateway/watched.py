"""One run on the board."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import msgspec

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.identity import trace_in
from otel_loopwatch.gateway.shown import Brief, Loop, RunState, Whole, loop_of
from otel_loopwatch.gateway.timeline import MAX_NAMES, Timeline
from otel_loopwatch.model import RunSummary, ToolCall
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.telemetry.metrics import MAX_NAME_CHARS
from otel_loopwatch.tracker.runs import trace_key

MAX_LOOPS = 64
"""Loops remembered per run, the newest."""
BYTES_PER_RUN = 2048
"""About what a run takes beside its calls and loops."""
BYTES_PER_LOOP = 1536


class WatchedRun:
    """What the board knows of a run; guarded by the board's lock."""

    __slots__ = (
        "_loops", "_timeline", "_tools", "agent", "ended", "key", "service", "summary", "trace_id", "version",
    )  # fmt: skip

    def __init__(self, key: str) -> None:
        self.key = key
        self.trace_id = trace_in(key)
        self.agent = ""
        self.service = ""
        self.ended = False
        self.version = 0
        """Of the board at its last change."""
        self.summary = RunSummary(run=key)
        self._timeline = Timeline()
        self._loops: deque[Loop] = deque(maxlen=MAX_LOOPS)
        self._tools: dict[str, None] = {}

    @property
    def bytes(self) -> int:
        """About what it takes."""
        return BYTES_PER_RUN + self._timeline.bytes + BYTES_PER_LOOP * len(self._loops)

    def take(self, seen: Seen) -> list[Loop]:
        """One step of the run; the loops that it completed."""
        self.summary = seen.run or self.summary
        self.agent = self.summary.agent or self.agent
        call = seen.call
        if call is not None:
            self._called(call, seen)
        loops = [loop_of(signal, self.summary.last_ns) for signal in seen.signals]
        self._loops.extend(loops)
        return loops

    def _called(self, call: ToolCall, seen: Seen) -> None:
        if call.trace_id:
            self.trace_id = trace_key(call.trace_id)
        if call.tool not in self._tools and len(self._tools) < MAX_NAMES:
            self._tools[call.tool[:MAX_NAME_CHARS]] = None
        if seen.observation is not None:
            self._timeline.add(self.summary.calls, call, seen.observation, self.summary.progressed)
            if seen.observation.recovered:
                self._recover()

    def _recover(self) -> None:
        """A run is in one loop at a time: those signalled before are all past."""
        past = [msgspec.structs.replace(loop, recovered=True) for loop in self._loops]
        self._loops = deque(past, maxlen=MAX_LOOPS)

    def state(self, decision: RunDecision | None) -> RunState:
        """How it stands, ``decision`` being what holds for it."""
        if decision is not None and decision.halts:
            return RunState.HALTED
        if self.ended:
            return RunState.ENDED
        return RunState.LOOPING if self.summary.looping else RunState.LIVE

    def called(self, tool: str) -> bool:
        """Whether it called a tool."""
        return tool in self._tools

    def mentions(self, text: str) -> bool:
        """Whether a text, in lower case, is part of its key, its agent, its service or one of its tools."""
        return any(text in name.lower() for name in (self.key, self.trace_id, self.agent, self.service, *self._tools))

    def brief(self, decision: RunDecision | None) -> Brief:
        """The run in a line."""
        known = self.summary
        return Brief(
            run=self.key,
            trace_id=self.trace_id,
            agent=self.agent,
            service=self.service,
            calls=known.calls,
            turns=known.turns,
            tokens=known.tokens,
            wasted_calls=known.wasted_calls,
            first_ns=str(known.first_ns),
            last_ns=str(known.last_ns),
            state=self.state(decision),
            loop=self._loops[-1] if self._loops else None,
            decision=decision,
            version=self.version,
        )

    def whole(self, decisions: list[RunDecision], shown: Callable[[int], str]) -> Whole:
        """All of it; the last of ``decisions`` holds."""
        return Whole(
            **msgspec.structs.asdict(self.brief(decisions[-1] if decisions else None)),
            timeline=list(self._timeline.calls(shown)),
            loops=list(self._loops),
            decisions=decisions,
        )
