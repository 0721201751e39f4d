"""What follows from a message, as records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.gateway.shown import loop_of
from otel_loopwatch.otlp import mark
from otel_loopwatch.worker.decisions import Decisions
from otel_loopwatch.worker.judge import Judged
from otel_loopwatch.worker.messages import Encoding, serialised
from otel_loopwatch.worker.records import Record
from otel_loopwatch.worker.topics import Topics


class Arrived(NamedTuple):
    """A message as it came."""

    offset: int
    key: bytes | None
    body: bytes | None


class Telling:
    """Writes down what the messages of one partition lead to: the same for the same message, in the same order."""

    def __init__(self, topics: Topics, encoding: Encoding, decisions: Decisions | None) -> None:
        self._topics = topics
        self._encoding = encoding
        self._decisions = decisions

    def unjudged(self, arrived: Arrived) -> Iterator[Record]:
        """Of a message in which nothing matters, or which cannot be judged: it goes on as it came."""
        if self._topics.marked is not None:
            yield Record(self._topics.marked, arrived.key, arrived.body)

    def judged(self, arrived: Arrived, request: ExportTraceServiceRequest, judged: Judged) -> Iterator[Record]:
        """Of any other: its loops, what is decided about them, and the message with its marks."""
        for seen in judged.steps:
            for signal in seen.signals:
                loop = loop_of(signal, seen.run.last_ns if seen.run is not None else 0)
                yield Record(self._topics.signals, _text(signal.run), msgspec.json.encode(loop))
        if self._decisions is not None and self._topics.decisions is not None:
            for run, decision in self._decisions.take(arrived.offset, judged.steps):
                value = None if decision is None else msgspec.json.encode(decision)
                yield Record(self._topics.decisions, _text(run), value)
        if not judged.marks:
            yield from self.unjudged(arrived)
        elif self._topics.marked is not None:
            mark.apply(request, judged.marks)
            yield Record(self._topics.marked, arrived.key, serialised(self._encoding, request))


def _text(run: str) -> bytes:
    return run.encode("utf-8", "surrogatepass")
