"""Which calls are siblings of one model response."""

from __future__ import annotations

from collections import deque

REMEMBERED = 8
"""Responses whose end is remembered, for calls that outlive the next one."""


class Turns:
    """Numbers the responses of one run. Without model spans, calls that overlap in time are siblings."""

    __slots__ = ("_busy_until", "_ends", "number", "tokens")

    def __init__(self) -> None:
        self.number = 0
        self.tokens = 0
        """Tokens of the last response that no call has been charged with."""
        self._ends: deque[int] | None = None
        self._busy_until = -1

    def answered(self, end_ns: int, tokens: int) -> None:
        """A model has answered."""
        if self._ends is None:
            self._ends = deque(maxlen=REMEMBERED)
        self._ends.append(end_ns)
        self.number += 1
        self.tokens = tokens

    def batch_of(self, start_ns: int, end_ns: int, *, answering: bool = False) -> int:
        """Number shared by the siblings of a call; ``answering``: their response has not ended yet."""
        if answering:
            return self.number + 1
        if self._ends is not None:
            return self.number - sum(ended > start_ns for ended in self._ends)
        if start_ns >= self._busy_until:
            self.number += 1
        self._busy_until = max(self._busy_until, end_ns)
        return self.number

    def charge(self) -> int:
        """Tokens of the last response, once: its first call carries them."""
        tokens, self.tokens = self.tokens, 0
        return tokens
