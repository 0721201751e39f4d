"""One judged step of a run."""

from __future__ import annotations

from dataclasses import dataclass

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
