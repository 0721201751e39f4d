"""Records on their way to the brokers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from threading import Event

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from otel_loopwatch.telemetry import names
from otel_loopwatch.worker.records import Record, Source

log = logging.getLogger(names.SCOPE)

MAX_UNSTORED = 1000
"""Records on their way at a time."""
WAIT_S = 0.2
DRAIN_S = 30.0
"""How long brokers may take to store the last records when the worker is asked to leave."""


class Unstored(Exception):
    """The brokers did not store what was told; the worker must begin again from what they did store."""


class Outbox:
    """Records are stored once and in their order, however long the brokers are away. All methods raise Unstored.

    ``counts``: records by topic, and ``oversized`` ones that were left out. ``leaving`` is set when the worker is asked
    to leave, ``clock`` gives seconds.
    """

    def __init__(self, producer: Producer, counts: Counter[str], leaving: Event, clock: Callable[[], float]) -> None:
        self._producer = producer
        self._counts = counts
        self._leaving = leaving
        self._clock = clock
        self._failure: KafkaError | None = None

    def put(self, record: Record, partition: int, source: Source) -> None:
        """Send a record; waits where too many are on their way."""
        self._wait(MAX_UNSTORED)
        self._counts[record.topic] += 1
        try:
            self._producer.produce(
                record.topic,
                key=record.key,
                value=record.value,
                partition=partition,
                headers=source.headers(),
                on_delivery=self._delivered,
            )
        except KafkaException as error:
            self.refused(error.args[0])

    def serve(self) -> None:
        """Take notice of what was stored."""
        self._producer.poll(0)

    def store(self) -> None:
        """Wait until everything is stored."""
        self._wait(0)

    def refused(self, error: KafkaError) -> None:
        """A record cannot be stored. One that is too large is left out, or every worker would fail of it for ever."""
        if error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
            self._counts["oversized"] += 1
            log.warning("A record was left out: %s", error)
        else:
            self._failure = self._failure or error

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.refused(error)

    def _wait(self, most: int) -> None:
        deadline = None
        while len(self._producer) > most and self._failure is None:
            self._producer.flush(WAIT_S)
            if self._leaving.is_set():
                deadline = deadline or self._clock() + DRAIN_S
                if self._clock() >= deadline:
                    raise Unstored(f"{len(self._producer)} records could not be stored in {DRAIN_S:g} s")
        if self._failure is not None:
            raise Unstored(f"a record could not be stored: {self._failure}")
