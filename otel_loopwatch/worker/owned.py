"""A partition of ours: a message in, what it leads to and was not told yet out."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from otel_loopwatch.otlp import decode
from otel_loopwatch.otlp.mattering import mattering
from otel_loopwatch.telemetry import names
from otel_loopwatch.worker.messages import Encoding, parse
from otel_loopwatch.worker.partition import Partition
from otel_loopwatch.worker.records import Record, Source
from otel_loopwatch.worker.telling import Arrived, Telling

log = logging.getLogger(names.SCOPE)

NOTHING_YET = Source(-1, 0)


class Owned:
    """Reads, judges and tells; ``told`` says, by topic, up to where that was done before.

    ``counts``: ``messages``, ``ordinary`` ones among them in which nothing can matter, ``poison`` that could not be
    read or judged, and ``spans`` judged.
    """

    def __init__(
        self,
        partition: Partition,
        telling: Telling,
        told: Mapping[str, Source],
        encoding: Encoding,
        counts: Counter[str],
    ) -> None:
        self.partition = partition
        self._telling = telling
        self._told = told
        self._encoding = encoding
        self._counts = counts

    def take(self, arrived: Arrived) -> Iterator[tuple[Record, Source]]:
        """The records to be put out after a message, in order."""
        self._counts["messages"] += 1
        for place, record in enumerate(self._records(arrived)):
            source = Source(arrived.offset, place)
            if source > self._told.get(record.topic, NOTHING_YET):
                yield record, source

    def _records(self, arrived: Arrived) -> Sequence[Record]:
        """What follows from a message. One that cannot be read or judged is passed on: it would stop every worker."""
        try:
            return self._judged(arrived)
        except Exception as error:  # noqa: BLE001 - whatever a message does, the worker goes on
            self._note_poison(error)
            return self._unjudged(arrived)

    def _judged(self, arrived: Arrived) -> Sequence[Record]:
        request = parse(self._encoding, arrived.body)
        wanted = mattering(request, self.partition.follows)
        if not wanted:
            self._counts["ordinary"] += 1
            return self._unjudged(arrived)
        spans = list(decode.spans(request, self._counts, of=wanted))
        self._counts["spans"] += len(spans)
        return list(self._telling.judged(arrived, request, self.partition.take(arrived.offset, spans)))

    def _unjudged(self, arrived: Arrived) -> Sequence[Record]:
        self.partition.skip(arrived.offset)
        return list(self._telling.unjudged(arrived))

    def _note_poison(self, error: Exception) -> None:
        if not self._counts["poison"]:
            log.warning("A message was not judged; further ones are only counted", exc_info=error)
        self._counts["poison"] += 1
