"""What follows from the judged steps of a message, as records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from otel_loopwatch.gateway.shown import loop_of
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.worker.decisions import Decisions
from otel_loopwatch.worker.records import Record
from otel_loopwatch.worker.topics import Topics


class Telling:
    """Writes down what one partition's steps lead to."""

    def __init__(self, topics: Topics, decisions: Decisions | None) -> None:
        self._topics = topics
        self._decisions = decisions

    def records(self, offset: int, steps: Sequence[Seen]) -> Iterator[Record]:
        """The records of a message, always the same and in the same order."""
        for seen in steps:
            for signal in seen.signals:
                loop = loop_of(signal, seen.run.last_ns if seen.run is not None else 0)
                yield Record(self._topics.signals, _text(signal.run), msgspec.json.encode(loop))
        if self._decisions is not None and self._topics.decisions is not None:
            for run, decision in self._decisions.take(offset, steps):
                value = None if decision is None else msgspec.json.encode(decision)
                yield Record(self._topics.decisions, _text(run), value)


def _text(run: str) -> bytes:
    return run.encode("utf-8", "surrogatepass")
