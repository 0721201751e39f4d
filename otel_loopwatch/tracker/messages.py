"""Calls that exist only in what a model said and was told: client instrumentations write no tool spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from otel_loopwatch.dialects import MessageCall, MessageResult

MAX_ASKED = 256
"""Calls waiting for their result, and results remembered, per run."""


class Response(NamedTuple):
    """A model's response that asked for calls."""

    trace_id: int
    span_id: int
    end_ns: int
    batch: int | None
    user_turn: int | None
    agent: str | None
    dialect: str


class Asked(NamedTuple):
    """A call a model asked for."""

    call: MessageCall
    response: Response
    tokens: int


class Answered(NamedTuple):
    """A call whose result was found in a later request."""

    asked: Asked
    result: MessageResult


class Messages:
    """Joins what the model asked for with the results in later requests, each of which repeats the whole history."""

    __slots__ = ("_joins", "_seen", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[Asked] = []
        self._joins = False
        """A result has been found by its call's id: here, ids can be trusted."""
        self._seen: dict[tuple[str | None, int], None] = {}

    def __len__(self) -> int:
        """Calls that wait for their result."""
        return len(self._waiting)

    def ask(self, asked: Asked) -> Asked | None:
        """Wait for the result of a call; the oldest one, if too many wait. The same response told twice counts once."""
        if self.waits_for(asked.call.call_id):
            return None
        self._waiting.append(asked)
        return self._waiting.pop(0) if len(self._waiting) > MAX_ASKED else None

    def waits_for(self, call_id: str | None) -> bool:
        """Whether a call of that id waits for its result."""
        return call_id is not None and any(asked.call.call_id == call_id for asked in self._waiting)

    def hear(self, results: Iterable[MessageResult]) -> list[Answered]:
        """Calls answered by the results of a request that had not been seen before, in their order."""
        answered = []
        for result in self._new(results):
            asked = self._take(result.call_id)
            if asked is not None:
                answered.append(Answered(asked, result))
        return answered

    def _new(self, results: Iterable[MessageResult]) -> list[MessageResult]:
        """Results not heard in an earlier request. A call id may repeat: its n-th result is another one."""
        times: Counter[str | None] = Counter()
        new = []
        for result in tuple(results)[-MAX_ASKED:]:
            key = (result.call_id, times[result.call_id])
            times[result.call_id] += 1
            if key not in self._seen:
                new.append(result)
            self._seen.pop(key, None)
            self._seen[key] = None
        while len(self._seen) > 2 * MAX_ASKED:
            del self._seen[next(iter(self._seen))]
        return new

    def _take(self, call_id: str | None) -> Asked | None:
        """The call of that id, or else the first in line: some clients name calls and results differently."""
        for index, asked in enumerate(self._waiting):
            if call_id is not None and asked.call.call_id == call_id:
                self._joins = True
                return self._waiting.pop(index)
        return self._waiting.pop(0) if self._waiting and not self._joins else None

    def rest(self) -> list[Asked]:
        """Calls whose result never came."""
        waiting, self._waiting = self._waiting, []
        return waiting
