"""What was forwarded, and what waits: for the metrics and the log."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field, replace
from threading import Lock

from otel_loopwatch.gateway.forward.outcome import Again, Refused, Taken

log = logging.getLogger("otel_loopwatch")

MAX_TOLD = 64
"""Different things told in the log: what a downstream says is its own choice."""
MAX_MESSAGE = 200
"""Characters of what a downstream says, in the log."""


@dataclass(slots=True)
class Counts:
    """Since the start; requests, unless it says otherwise."""

    sent: int = 0
    """Taken by the downstream, wholly or in part."""
    retried: int = 0
    """Tries after which the same request is to be sent again."""
    partial: int = 0
    """Taken in part, or with a warning."""
    rejected: int = 0
    """Spans, log records and data points of those that the downstream did not take."""
    unmarked: int = 0
    """Sent as they came, as their marks could not be put on."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Given up for good, by reason."""


@dataclass(frozen=True, slots=True)
class Lag:
    """What was offered and is not delivered."""

    waiting: int
    """Requests, those that are being sent included."""
    oldest_s: float
    """Seconds since the one that waits longest was offered; 0 where none waits."""


class Tally:
    """Counts outcomes, from any thread, and tells of each kind of trouble once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts = Counts()
        self._told: set[str] = set()
        self._away = False

    def counts(self) -> Counts:
        """How they stand now."""
        with self._lock:
            return replace(self._counts, dropped=Counter(self._counts.dropped))

    def taken(self, outcome: Taken) -> None:
        """A request was taken. What was rejected of it is told once per message."""
        partial = bool(outcome.rejected or outcome.message)
        with self._lock:
            back, self._away = self._away, False
            self._counts.sent += 1
            self._counts.partial += partial
            self._counts.rejected += outcome.rejected
            new = partial and self._is_new(_cut(outcome.message))
        if back:
            log.info("The downstream takes requests again")
        if new:
            log.warning(
                "The downstream took a request, %d of its items excepted: %s", outcome.rejected, _cut(outcome.message)
            )

    def again(self, outcome: Again) -> None:
        """A request was not taken now. Told once per outage."""
        with self._lock:
            new, self._away = not self._away, True
            self._counts.retried += 1
        if new:
            log.warning("The downstream takes no requests, they are kept: %s", _why(outcome))

    def dropped(self, outcome: Refused) -> None:
        """A request is given up. Told once per reason."""
        with self._lock:
            self._counts.dropped[outcome.reason] += 1
            new = self._is_new(outcome.reason)
        if new:
            log.error("Requests are dropped: %s", _why(outcome))

    def unmarked(self, error: Exception) -> None:
        """A request goes on without its marks. Told once per kind of error."""
        with self._lock:
            self._counts.unmarked += 1
            new = self._is_new(type(error).__name__)
        if new:
            log.warning("Marks could not be put on a request, it goes on as it came", exc_info=error)

    def _is_new(self, trouble: str) -> bool:
        new = trouble not in self._told and len(self._told) < MAX_TOLD
        if new:
            self._told.add(trouble)
        return new


def _why(outcome: Again | Refused) -> str:
    return f"{outcome.reason}, {_cut(outcome.message)}" if outcome.message else outcome.reason


def _cut(message: str) -> str:
    """On one line, whatever it holds."""
    return ascii(message[:MAX_MESSAGE])
