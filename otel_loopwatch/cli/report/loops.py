"""Signals of a run as loops: from where to where, at which levels, and whether the run got out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from otel_loopwatch.cli.witness import Sight
from otel_loopwatch.model import Kind, LoopSignal, ToolCall


@dataclass(frozen=True, slots=True)
class Seen:
    """What of a call tells whether it belongs to a loop."""

    tool: str
    span_id: int
    keys: frozenset[int] = frozenset()

    @classmethod
    def of(cls, call: ToolCall, sight: Sight | None) -> Seen:
        """What is kept of a call."""
        keys = (sight.call, sight.answer) if sight else ()
        return cls(call.tool, call.span_id, frozenset(key for key in keys if key is not None))


@dataclass(slots=True)
class Loop:
    """One loop of one run; calls are counted from 1 within the run."""

    kind: Kind
    first: int
    last: int
    signals: list[LoopSignal] = field(default_factory=list)
    recovered: int | None = None
    """The call with which the run had moved on."""


class Loops:
    """The loops of one run, as its calls come."""

    def __init__(self) -> None:
        self.found: list[Loop] = []
        self._open: list[Loop] = []

    def signalled(self, signal: LoopSignal, calls: Sequence[Seen]) -> None:
        """A signal was raised at the newest of the calls: a new loop, or the next level of one that is open."""
        known = next((loop for loop in reversed(self._open) if _same(loop, signal)), None)
        first = _first(signal, calls)
        if known is None:
            known = Loop(signal.kind, first, len(calls))
            self.found.append(known)
        else:
            self._open.remove(known)
        known.first, known.last = min(known.first, first), len(calls)
        known.signals.append(signal)
        self._open.append(known)

    def wasted(self, call: int) -> None:
        """A call without a signal brought nothing new: the newest loop goes on."""
        if self._open:
            self._open[-1].last = call

    def recovered(self, call: int) -> None:
        """The run has moved on."""
        for loop in self._open:
            loop.recovered = call
        self._open.clear()


def _same(loop: Loop, signal: LoopSignal) -> bool:
    return loop.kind is signal.kind and not set(loop.signals[-1].tools).isdisjoint(signal.tools)


def _first(signal: LoopSignal, calls: Sequence[Seen]) -> int:
    """Where the loop began: at the span the signal names, else so many calls back as it counts."""
    numbers = range(1, len(calls) + 1)
    named = (number for number in numbers if signal.first_span_id and calls[number - 1].span_id == signal.first_span_id)
    counted = _counted(signal, calls)
    return next(named, counted[0] if counted else len(calls))


def _counted(signal: LoopSignal, calls: Sequence[Seen]) -> list[int]:
    """The last calls that are like those of the newest round; of its tools, where too few are."""
    size = signal.wasted_calls + signal.period
    keys = {key for seen in calls[-signal.period :] for key in seen.keys}
    of_tools = [number for number, seen in enumerate(calls, 1) if seen.tool in signal.tools]
    alike = [number for number in of_tools if not keys.isdisjoint(calls[number - 1].keys)]
    return (alike if len(alike) >= size else of_tools)[-size:]
