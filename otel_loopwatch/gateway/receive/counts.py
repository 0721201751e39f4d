"""How often something was refused."""

from __future__ import annotations

from collections import Counter
from threading import Lock

from otel_loopwatch.gateway.receive.refusals import Reason


class Counts(Counter[str]):
    """Refusals by reason, from the first moment on with each reason at 0; any thread may count."""

    def __init__(self) -> None:
        super().__init__({reason.value: 0 for reason in Reason})
        self._lock = Lock()

    def add(self, reason: Reason, times: int = 1) -> None:
        """It happened."""
        with self._lock:
            self[reason.value] += times
