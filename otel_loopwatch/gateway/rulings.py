"""What was decided about runs: the decisions that hold, and some that did."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator

from otel_loopwatch.control.decisions import BY_LOOPWATCH, RunDecision

MAX_RUNS = 10_000
"""Runs of which decisions are remembered, whether or not anything else is known of them."""
MAX_PER_RUN = 16
"""Decisions remembered per run, the newest."""


class Rulings:
    """Decisions by run, those decided last at the end; guarded by the board's lock."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, deque[RunDecision]] = OrderedDict()

    def add(self, decision: RunDecision) -> bool:
        """Have a decision hold from now on; False where an earlier halt stands against it.

        What Loopwatch finds of a run that is to end does not let it go on: only a person does.
        """
        now = self.of(decision.run)
        if now is not None and now.halts and not decision.halts and decision.by == BY_LOOPWATCH:
            return False
        self._runs.setdefault(decision.run, deque(maxlen=MAX_PER_RUN)).append(decision)
        self._runs.move_to_end(decision.run)
        if len(self._runs) > MAX_RUNS:
            self._runs.popitem(last=False)
        return True

    def of(self, run: str) -> RunDecision | None:
        """What holds for a run; None where nothing was decided."""
        past = self._runs.get(run)
        return past[-1] if past else None

    def history(self, run: str) -> list[RunDecision]:
        """What was decided about a run, the oldest first."""
        return list(self._runs.get(run, ()))

    def newest(self) -> Iterator[RunDecision]:
        """What holds, decided last first."""
        return (past[-1] for past in reversed(self._runs.values()))
