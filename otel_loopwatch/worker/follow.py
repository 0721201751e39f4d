"""Decisions on a topic, as agents follow them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from threading import Event

import msgspec
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.follower import Listener
from otel_loopwatch.worker.clients import Clients

AT_ONCE = 500
WAIT_S = 0.2
"""How soon :meth:`KafkaFollower.stop` is noticed."""
ASK_S = 5.0
"""How often the brokers are asked whether they are there, and how long they may take to answer."""
NO_GROUP = "loopwatch-follower"
"""A consumer must name a group; this one joins none, and commits nothing."""


class KafkaFollower:
    """A :class:`~otel_loopwatch.control.follower.Follower` of the topic on which workers put decisions.

    All partitions are read from the beginning: the topic is compacted, and what is left on it holds. ``properties`` are
    those of librdkafka, as for the worker. ::

        RemoteControl(KafkaFollower("kafka:9092", "loopwatch_decisions"))

    :raises ValueError: for properties that librdkafka does not take, when it is first used.
    """

    def __init__(
        self,
        brokers: str,
        topic: str,
        properties: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clients = Clients(brokers, properties or {})
        self._topic = topic
        self._clock = clock
        self._stopped = Event()
        self._unread: set[int] = set()
        """Partitions whose end was not reached yet."""

    def follow(self, listener: Listener) -> None:
        """Tell decisions until :meth:`stop`. Raises KafkaException where the brokers cannot be reached."""
        reader = self._clients.reader(NO_GROUP)
        try:
            self._unread = set(self._partitions(reader))
            reader.assign([TopicPartition(self._topic, number, OFFSET_BEGINNING) for number in self._unread])
            self._listen(reader, listener)
        finally:
            reader.close()

    def stop(self) -> None:
        """Have it return."""
        self._stopped.set()

    def _listen(self, reader: Consumer, listener: Listener) -> None:
        due = self._clock()
        while not self._stopped.is_set():
            self._tell(reader.consume(AT_ONCE, WAIT_S), listener)
            if not self._unread and self._clock() >= due:
                self._partitions(reader)
                listener.heard()
                due = self._clock() + ASK_S

    def _partitions(self, reader: Consumer) -> list[int]:
        """Those of the topic, as the brokers say now."""
        topic = reader.list_topics(self._topic, timeout=ASK_S).topics[self._topic]
        if topic.error is not None or not topic.partitions:
            raise KafkaException(topic.error or KafkaError(KafkaError._UNKNOWN_TOPIC, self._topic))
        return list(topic.partitions)

    def _tell(self, messages: Iterable[Message], listener: Listener) -> None:
        for message in messages:
            error, number = message.error(), message.partition()
            if error is None:
                _decided(message.value(), listener)
            elif error.code() == KafkaError._PARTITION_EOF and number is not None:
                self._unread.discard(number)
            elif error.fatal():
                raise KafkaException(error)


def _decided(value: bytes | str | None, listener: Listener) -> None:
    """One record; what is no decision is left out, as is the end of a run, of which nobody asks any more."""
    try:
        listener.decided(msgspec.json.decode(value or b"", type=RunDecision))
    except (msgspec.MsgspecError, UnicodeError):
        return
