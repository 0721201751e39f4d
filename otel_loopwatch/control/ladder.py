"""How far a run has been told: the loops it is in, and what the next call of one of them meets."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from otel_loopwatch.control.again import Repeats, Request, repeats_of
from otel_loopwatch.control.policy import ResponsePolicy
from otel_loopwatch.model import Action, Kind, Level, LoopSignal

MAX_LOOPS = 8
"""Loops answered at a time; the oldest goes."""
REMEMBERED = 64
"""Requests remembered per run."""
GRACE = 3
"""Repeats that pass after somebody said "go on", or after the world changed."""
LONG_PAUSE = 4
"""Times the gap between a loop's calls that make a pause in which the world may have changed by itself."""


@dataclass(slots=True)
class OpenLoop:
    """A loop that was signalled and that the run has not got out of."""

    signal: LoopSignal
    action: Action
    repeats: Repeats
    nudges: int = 0
    nudged_ns: int = 0
    refusals: int = 0
    wasted: int = 0
    grace: int = 0
    last_ns: int = 0
    """When its latest call was asked for."""
    gap_ns: int = 0
    """Time between the latest two that ran."""

    def ran(self, now: int) -> None:
        """One of its calls was executed."""
        self.last_ns, self.gap_ns = now, now - self.last_ns


@dataclass(slots=True)
class Ladder:
    """The state of one run. Time is passed in, ns."""

    policy: ResponsePolicy
    patient_ns: int
    """A pause of at least this length may be a wait for something."""
    loops: list[OpenLoop] = field(default_factory=list)
    past: deque[Request] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    allowed: set[tuple[Kind, tuple[str, ...]]] = field(default_factory=set)

    def ran(self, request: Request) -> None:
        """A call was executed."""
        self.past.append(request)
        for loop in self._of(request):
            loop.ran(request.at_ns)

    def signalled(self, signal: LoopSignal, action: Action, upcoming: Request | None = None) -> None:
        """A loop was seen, or foreseen at an ``upcoming`` request, and this is to be done about it.

        Of one loop, what was done so far still counts.
        """
        repeats = repeats_of(signal, [*self.past, upcoming] if upcoming else list(self.past))
        for loop in self.loops:
            if set(loop.signal.tools) & set(signal.tools):
                loop.signal, loop.action, loop.repeats = signal, action, repeats
                loop.wasted = max(loop.wasted, signal.wasted_calls)
                return
        new = OpenLoop(signal, action, repeats, wasted=signal.wasted_calls)
        for request in (request for request in self.past if repeats.holds(request)):
            new.ran(request.at_ns)
        self.loops = [*self.loops, new][-MAX_LOOPS:]

    def wasted(self, request: Request, calls: int) -> None:
        """Calls brought nothing new."""
        for loop in self._of(request):
            loop.wasted += calls

    def nudge(self, request: Request, now: int) -> LoopSignal | None:
        """The loop that the model is to be told of with the answer to this request."""
        for loop in self._of(request):
            if loop.action in (Action.CONTINUE, Action.HALT) or loop.nudges >= self.policy.max_nudges:
                continue
            if loop.nudges and now - loop.nudged_ns < self.policy.cooldown_s * 1e9:
                continue
            loop.nudges += 1
            loop.nudged_ns = now
            return loop.signal
        return None

    def refuse(self, request: Request) -> tuple[Action, LoopSignal] | None:
        """What a request meets: BLOCK or HALT, and the loop because of which."""
        for loop in self._of(request):
            if self._at_last(loop):
                return Action.HALT, loop.signal
            if loop.action is Action.HALT:
                return Action.HALT, loop.signal
            if loop.action is not Action.BLOCK or self._permitted(loop, request.at_ns):
                continue
            if self.policy.max_refusals is not None and loop.refusals >= self.policy.max_refusals:
                return Action.HALT, loop.signal
            loop.refusals += 1
            loop.last_ns = request.at_ns
            return Action.BLOCK, loop.signal
        return None

    def _at_last(self, loop: OpenLoop) -> bool:
        """Whether it is time for the last resort. A loop on weak evidence, a long poll perhaps, never comes to it."""
        last = self.policy.last_resort
        critical = loop.signal.level is Level.CRITICAL
        return last is not None and critical and loop.wasted >= last and not loop.grace

    def _permitted(self, loop: OpenLoop, now: int) -> bool:
        """Whether somebody allowed it, or the pause was long; a grace is used up call by call."""
        if loop.grace:
            loop.grace -= 1
            return True
        if now - loop.last_ns >= max(self.patient_ns, LONG_PAUSE * loop.gap_ns):
            return True
        return (loop.signal.kind, loop.signal.tools) in self.allowed

    def moved_on(self) -> None:
        """The run got out of its loops."""
        self.loops.clear()

    def changed(self) -> None:
        """The world changed: what was refused may come out differently now."""
        for loop in self.loops:
            loop.grace = GRACE

    def go_on(self) -> None:
        """Somebody said so: every loop starts at the foot of the ladder again; what it is and was stays known."""
        for loop in self.loops:
            loop.nudges = loop.refusals = loop.wasted = 0
            loop.grace = GRACE

    def allow(self) -> None:
        """Somebody said "always": the loops of now are refused no more, except as a last resort."""
        self.allowed.update((loop.signal.kind, loop.signal.tools) for loop in self.loops)

    def _of(self, request: Request) -> list[OpenLoop]:
        return [loop for loop in reversed(self.loops) if loop.repeats.holds(request)]
