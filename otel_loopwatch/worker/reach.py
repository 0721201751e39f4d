"""How far back a partition's next owner may have to read."""

from __future__ import annotations

from collections import deque


class Reach:
    """At most so many messages, and what came in the last so many seconds.

    The first time it is nothing at all: whatever is live is saved soon after a partition was taken over. So one gets on
    even if every owner dies before it has read what the one before it had.
    """

    def __init__(self, messages: int, seconds: float) -> None:
        self._messages = messages
        self._seconds = seconds
        self._past: deque[tuple[float, int]] = deque()
        self._aged = 0
        """Where we stood so many seconds ago."""

    def limit(self, position: int, now_s: float) -> int:
        """Offset before which no live trace may begin that was not saved."""
        fresh = not self._past
        self._past.append((now_s, position))
        while self._past[0][0] <= now_s - self._seconds:
            self._aged = self._past.popleft()[1]
        return position if fresh else max(self._aged, position - self._messages)
