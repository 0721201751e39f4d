"""A detector is shown calls, and what it did is noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .detector import Call, Detector, Fired


@runtime_checkable
class NamesKinds(Protocol):
    """A session that can say what kind of loop it fired about."""

    kind: str | None


@dataclass(frozen=True, slots=True)
class Firing:
    """What a detector did about one call."""

    call: int
    """Position of the call, from 1."""
    fired: Fired
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """What a detector did about a sequence of calls."""

    firings: tuple[Firing, ...] = ()
    broken: int = 0
    """Calls at which it failed; nothing is held against it but its silence."""

    def first(self, at_least: Fired = Fired.WARNED, since: int = 1) -> Firing | None:
        """The first firing of a level or above, at a call or after it."""
        return next((one for one in self.firings if one.fired >= at_least and one.call >= since), None)

    def at(self, at_least: Fired, since: int = 1) -> int | None:
        """The call of the first firing of a level or above."""
        first = self.first(at_least, since)
        return first.call if first else None


def watch(detector: Detector, calls: Sequence[Call], until_stopped: bool = False) -> Watched:
    """Show a detector the calls in their order; all of them, or no more once it has stopped the run."""
    session = detector.start()
    firings: list[Firing] = []
    broken = 0
    for position, call in enumerate(calls, 1):
        try:
            fired = session.observe(call)
        except Exception:  # noqa: BLE001 - whatever a stranger's package raises about odd input
            broken += 1
            continue
        if fired:
            firings.append(Firing(position, fired, session.kind if isinstance(session, NamesKinds) else None))
        if until_stopped and fired is Fired.STOPPED:
            break
    return Watched(tuple(firings), broken)
