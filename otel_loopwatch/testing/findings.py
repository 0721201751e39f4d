"""What was seen of an agent under test: its calls, and the loops they formed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from otel_loopwatch.model import Level, LoopSignal, ToolCall


class LoopFound(AssertionError):
    """The agent went in circles, or did not where the test expects it to; the message explains."""


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop, as it stood when it was last signalled."""

    signal: LoopSignal
    """Kind, level, tools, count, reason and advice."""
    calls: tuple[int, ...]
    """The calls of the loop by their numbers within the run, from 1; empty where a budget was passed between calls."""
    signalled_at: int
    """Number of the call at which it was signalled first."""

    def __str__(self) -> str:
        """The loop explained, in a few lines."""
        signal = self.signal
        agent = f" of agent {signal.agent}" if signal.agent else ""
        tools = ", ".join(dict.fromkeys(signal.tools))
        called = f"calls {_listed(self.calls)}: {tools}" if self.calls else "between calls"
        return (
            f"{signal.kind.value} loop, {signal.level.value}{agent}, first signalled at call {self.signalled_at}:\n"
            f"  {signal.reason}\n"
            f"  {called} (count {signal.count}, {signal.wasted_calls} wasted)\n"
            f"  advice to the model: {signal.advice}"
        )


LoopKey = tuple[object, ...]


@dataclass(slots=True)
class Findings:
    """Calls and loops in the order in which they were seen. Kept whole: a test is short."""

    calls: list[ToolCall] = field(default_factory=list)
    signals: list[tuple[LoopSignal, int]] = field(default_factory=list)
    """Each with the number of calls that its run had made."""
    _by_run: dict[str, list[ToolCall]] = field(default_factory=dict)
    _loops: dict[LoopKey, Loop] = field(default_factory=dict)

    @property
    def loops(self) -> list[Loop]:
        """The loops; one that was signalled at both levels is one loop."""
        return list(self._loops.values())

    def called(self, call: ToolCall) -> None:
        """A call is about to be judged."""
        self.calls.append(call)
        self._by_run.setdefault(call.run, []).append(call)

    def signalled(self, signal: LoopSignal) -> None:
        """A loop was signalled at the latest call of its run."""
        calls = self._by_run.get(signal.run, [])
        self.signals.append((signal, len(calls)))
        key = (signal.run, signal.kind, signal.tools, signal.first_span_id)
        before = self._loops.get(key)
        signalled_at = before.signalled_at if before is not None else len(calls)
        self._loops[key] = Loop(signal, tuple(_numbers(calls, signal)), signalled_at)

    def at_least(self, level: Level) -> list[Loop]:
        """The loops of this level or above."""
        return [loop for loop in self.loops if level is Level.WARNING or loop.signal.level is level]


def _numbers(calls: list[ToolCall], signal: LoopSignal) -> list[int]:
    """Which calls are the loop: those of its tools since its first call, or as many of the last as it counts."""
    numbers = [number for number, call in enumerate(calls, 1) if call.tool in signal.tools]
    first = next((n for n in numbers if signal.first_span_id and calls[n - 1].span_id == signal.first_span_id), None)
    if first is None:
        return numbers[-signal.count * signal.period :]
    return [number for number in numbers if number >= first]


def _listed(numbers: tuple[int, ...]) -> str:
    """``2 to 9`` where none is left out, else all of them."""
    first, last = numbers[0], numbers[-1]
    whole = last - first + 1 == len(numbers) > 2
    return f"{first} to {last}" if whole else ", ".join(map(str, numbers))


def explained(loops: Iterable[Loop]) -> str:
    """Several loops, for a failure's message."""
    return "\n\n".join(map(str, loops))
