"""Which run a request belongs to when nothing but its messages tells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from otel_loopwatch.dialects import MessageCall, MessageResult, TurnContent
from otel_loopwatch.tracker.messages import MAX_ASKED
from otel_loopwatch.tracker.runs import Runs

MAX_OWNERS = 10_000
"""Call ids whose run is remembered."""


class Conversations:
    """Runs by the ids of their calls: each request repeats those that came before it."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._owners: OrderedDict[str, str] = OrderedDict()

    def of(self, turn: TurnContent, now_ns: int) -> str | None:
        """Key of the run whose calls the request repeats, or that waits for the very calls it asks for.

        Ids may repeat between conversations (scripted models): asking anew for a call that was answered begins another.
        """
        for call_id in _call_ids(turn.history, turn.results):
            if call_id in self._owners:
                return self._owners[call_id]
        for call_id in _call_ids(turn.calls):
            key = self._owners.get(call_id)
            run = self._runs.keyed.get(key, now_ns) if key is not None else None
            if run is not None and run.messages is not None and run.messages.waits_for(call_id):
                return key
        return None

    def own(self, key: str, turn: TurnContent) -> None:
        """The calls of this request are that run's."""
        for call_id in _call_ids(turn.history, turn.results, turn.calls):
            self._owners[call_id] = key
            self._owners.move_to_end(call_id)
        while len(self._owners) > MAX_OWNERS:
            self._owners.popitem(last=False)


def _call_ids(*messages: Iterable[MessageCall | MessageResult]) -> Iterator[str]:
    """Ids of the latest messages of each sort."""
    return (told.call_id for sort in messages for told in tuple(sort)[-MAX_ASKED:] if told.call_id is not None)
