"""One judged step of a run, and the id by which a signal is known wherever it is told."""

from __future__ import annotations

from dataclasses import dataclass

import xxhash

from otel_loopwatch.model import LoopSignal, Observation, RunSummary, ToolCall
from otel_loopwatch.tracker import Tracked


@dataclass(frozen=True, slots=True)
class Seen:
    """A call, a model's turn or the end of a run, and what was made of it."""

    event: Tracked
    signals: tuple[LoopSignal, ...] = ()
    observation: Observation | None = None
    """Of a call."""
    run: RunSummary | None = None
    """How the run stands after it; at its end, how it ended. None where the engine does not know the run."""

    @property
    def call(self) -> ToolCall | None:
        """The call, if it is one."""
        return self.event if isinstance(self.event, ToolCall) else None


def signal_id(signal: LoopSignal) -> str:
    """32 hex digits, the same for the same signal of the same run on every machine and in every repetition.

    Whoever hears of a signal twice, as after a broken connection or a crash, knows by it that it is the same.
    """
    told = (signal.run, signal.kind.value, signal.level.value, signal.call, signal.count, f"{signal.span_id:x}")
    return xxhash.xxh3_128_hexdigest("\0".join(map(str, told)).encode("utf-8", "surrogatepass"))
