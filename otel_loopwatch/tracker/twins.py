"""One call told twice: by two instrumentations in one process, in trees that do not touch."""

from __future__ import annotations

from collections import deque

from otel_loopwatch.tracker.merge import Heard, one_process, same_call

REMEMBERED = 256
"""Ended calls a twin is looked for among."""
MIN_OVERLAP = 0.5
"""Share of the time that two tellings of one call have in common: each starts its clock a little later."""
START_SLACK_NS, END_SLACK_NS = 25_000_000, 100_000_000
"""How far apart they may start and end: around a fast tool most of the time is the instrumentations' own, and the first
to end may export its span before the other can end."""


class _Told:
    __slots__ = ("heard", "lone", "sources")

    def __init__(self, heard: Heard, lone: bool) -> None:
        self.heard = heard
        self.lone = lone
        self.sources = {heard.source}
        """Instrumentations that have told this call."""


class Twins:
    """The last calls of the process, each of which may be told once more by every other instrumentation."""

    def __init__(self) -> None:
        self._told: deque[_Told] = deque(maxlen=REMEMBERED)
        self._sources: set[str] = set()

    def is_twin(self, heard: Heard, lone: bool) -> bool:
        """Whether this call was told before by another instrumentation; if not, it is remembered.

        ``lone``: told outside of any tree, as by an MCP server of the same process. Such a call may be the twin of a
        framework's, but not the other way round: the framework's knows whose run it is.
        """
        self._sources.add(heard.source)
        told = self._find(heard, lone) if len(self._sources) > 1 else None
        if told is None:
            self._told.append(_Told(heard, lone))
            return False
        told.sources.add(heard.source)
        return True

    def _find(self, heard: Heard, lone: bool) -> _Told | None:
        for told in reversed(self._told):
            if heard.source not in told.sources and (lone or not told.lone) and _match(told.heard, heard):
                return told
        return None


def _match(one: Heard, other: Heard) -> bool:
    return overlap(one, other) and one_process(one.service, other.service) and same_call(one.content, other.content)


def overlap(one: Heard, other: Heard) -> bool:
    """Whether two tellings happened at the same time: at all, or most of it where no arguments can confirm it."""
    shared = min(one.end_ns, other.end_ns) - max(one.start_ns, other.start_ns)
    if shared < 0 or (one.content.arguments is not None and other.content.arguments is not None):
        return shared >= 0
    near = abs(one.start_ns - other.start_ns) <= START_SLACK_NS and abs(one.end_ns - other.end_ns) <= END_SLACK_NS
    return near or shared >= MIN_OVERLAP * max(one.end_ns - one.start_ns, other.end_ns - other.start_ns)
