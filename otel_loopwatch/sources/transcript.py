"""From what a model asked for and was answered, in the order of a file, to calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from otel_loopwatch.dialects import MessageCall, MessageResult, messages
from otel_loopwatch.model import ToolCall
from otel_loopwatch.settings import MAX_VALUE_BYTES
from otel_loopwatch.sources import chat
from otel_loopwatch.sources.cases import DEFAULT_GAP_MS, NS_PER_MS
from otel_loopwatch.tracker.events import RunEnded, Tracked

MAX_WAITING = 256
"""Calls whose answer has not come; beyond that the oldest is told without one."""


class _Asked(NamedTuple):
    call: MessageCall
    batch: int
    user_turn: int
    at_ns: int


class Transcript:
    """One run. A call is told when its answer comes, in the order of the answers.

    Ids join calls and answers; they may repeat, so an answer belongs to the first call of its id that waits. Where the
    file has no times, one second passes per event.
    """

    def __init__(self, run: str, dialect: str, *, group: str | None = None, agent: str | None = None) -> None:
        self.run = run
        self._dialect = dialect
        self._group = group or run
        self._agent = agent
        self._waiting: list[_Asked] = []
        self._ids_match = False
        self._response: object = None
        self._answered = True
        self._batch = -1
        self._user_turn = 0
        self._now_ns = 0

    def user_spoke(self) -> None:
        """The user said something: what follows is about that."""
        self._user_turn += 1

    def hear(self, message: Mapping[str, Any], at_ns: int = 0, response: object = None) -> Iterator[ToolCall]:
        """Take in a message of any shape that ``chat`` knows.

        ``response`` tells siblings: calls with the same one are of one model response. Without it, those are that no
        answer comes between.
        """
        exchange = messages.read(chat.conventional(message), MAX_VALUE_BYTES)
        for call in exchange.calls:
            yield from self.ask(call, at_ns, response)
        for result in exchange.results:
            yield from self.answer(result, at_ns)

    def ask(self, call: MessageCall, at_ns: int = 0, response: object = None) -> Iterator[ToolCall]:
        """The model asks for a call; yields the oldest one that waits if too many do."""
        if self._answered if response is None else response != self._response:
            self._batch += 1
        self._response, self._answered = response, False
        self._waiting.append(_Asked(call, self._batch, self._user_turn, self._time(at_ns)))
        if len(self._waiting) > MAX_WAITING:
            yield self._call(self._waiting.pop(0), None)

    def answer(self, result: MessageResult, at_ns: int = 0) -> Iterator[ToolCall]:
        """A result comes; nothing is yielded where nobody waits for it."""
        self._answered = True
        self._time(at_ns)
        asked = self._take(result.call_id)
        if asked is not None:
            yield self._call(asked, result)

    def end(self) -> Iterator[Tracked]:
        """The file ends: calls whose answer never came, and the end of the run."""
        waiting, self._waiting = self._waiting, []
        yield from (self._call(asked, None) for asked in waiting)
        yield RunEnded(self.run, "ended")

    def _take(self, call_id: str | None) -> _Asked | None:
        for index, asked in enumerate(self._waiting):
            if call_id is not None and asked.call.call_id == call_id:
                self._ids_match = True
                return self._waiting.pop(index)
        return self._waiting.pop(0) if self._waiting and not (call_id and self._ids_match) else None

    def _time(self, at_ns: int) -> int:
        """Time does not run backwards, whatever the file says."""
        self._now_ns = max(self._now_ns, at_ns) if at_ns else self._now_ns + DEFAULT_GAP_MS * NS_PER_MS
        return self._now_ns

    def _call(self, asked: _Asked, result: MessageResult | None) -> ToolCall:
        failed = result is not None and result.failed
        return ToolCall(
            run=self.run,
            group=self._group,
            tool=asked.call.tool,
            arguments=asked.call.arguments,
            result=None if result is None else result.result,
            failed=failed,
            error=result.result if result is not None and failed and isinstance(result.result, str) else None,
            agent=self._agent,
            call_id=asked.call.call_id,
            batch=asked.batch,
            user_turn=asked.user_turn,
            start_ns=asked.at_ns,
            end_ns=self._now_ns,
            dialect=self._dialect,
        )
