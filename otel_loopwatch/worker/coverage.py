"""From where a partition must be read again, so that all its live traces are seen whole."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile


class Coverage:
    """The live traces of a partition, each with the first of its messages that no snapshot covers."""

    def __init__(self) -> None:
        self._since: dict[int, int] = {}
        """Offsets by trace, rising: a trace enters with the newest."""

    def touch(self, trace_id: int, offset: int) -> None:
        """A message of a live trace was applied."""
        self._since.setdefault(trace_id, offset)

    def settle(self, traces: Iterable[int]) -> None:
        """These have ended, or were saved: their messages so far are not needed any more."""
        for trace_id in traces:
            self._since.pop(trace_id, None)

    def low(self, position: int) -> int:
        """The message to begin with, where the next to come is at ``position``."""
        return next(iter(self._since.values()), position)

    def before(self, limit: int) -> list[int]:
        """The traces of which messages before an offset are needed."""
        return [trace_id for trace_id, _ in takewhile(lambda each: each[1] < limit, self._since.items())]
