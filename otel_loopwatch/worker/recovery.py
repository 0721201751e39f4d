"""What earlier owners of a partition left on the topics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from otel_loopwatch.worker.records import Source, source_of
from otel_loopwatch.worker.snapshots import Snapshot, latest
from otel_loopwatch.worker.topics import TIMEOUT_S, Topics

TAIL = 100
"""Records looked at for the last that is ours: compaction leaves gaps."""


class Left(NamedTuple):
    """What was left of one partition."""

    snapshots: list[Snapshot]
    told: dict[str, Source]
    """By topic, where the last record told came from."""
    decided: list[tuple[bytes | None, bytes | None]]
    """Keys and values on the topic of decisions, in their order."""


def left_behind(reader: Consumer, topics: Topics, partition: int) -> Left:
    """Read what was left; the reader is one that tells the end of a partition.

    :raises KafkaException: where the brokers do not answer.
    """
    snapshots = latest(_pair(message) for message in _read(reader, topics.state, partition, OFFSET_BEGINNING))
    told = {topic: source for topic in topics.told() for source in _last(reader, topic, partition)}
    decided = topics.decisions and _read(reader, topics.decisions, partition, OFFSET_BEGINNING)
    return Left(snapshots, told, [_pair(message) for message in decided or ()])


def _last(reader: Consumer, topic: str, partition: int) -> Iterator[Source]:
    """Where the last record of ours came from, if there is one."""
    low, high = reader.get_watermark_offsets(TopicPartition(topic, partition), timeout=TIMEOUT_S)
    if low == high:
        return
    messages = _read(reader, topic, partition, max(low, high - TAIL))
    sources = [source for message in messages if (source := source_of(message.headers())) is not None]
    yield from sources[-1:]


def _read(reader: Consumer, topic: str, partition: int, start: int) -> Iterator[Message]:
    """The messages of a partition from an offset to its end."""
    reader.assign([TopicPartition(topic, partition, start)])
    while True:
        message = reader.poll(TIMEOUT_S)
        if message is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"{topic} [{partition}] could not be read"))
        error = message.error()
        if error is None:
            yield message
        elif error.code() == KafkaError._PARTITION_EOF:
            return
        elif not error.retriable():
            raise KafkaException(error)


def _pair(message: Message) -> tuple[bytes | None, bytes | None]:
    key, value = message.key(), message.value()
    return key if isinstance(key, bytes) else None, value if isinstance(value, bytes) else None
