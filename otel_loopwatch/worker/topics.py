"""The topics of a worker, made where they are missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

TIMEOUT_S = 30.0
"""How long brokers may take to answer."""
COMPACTED = {"cleanup.policy": "compact"}
BROKERS_DEFAULT = -1
"""Replication as the brokers have it set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """Where spans come from, and where everything goes. All have as many partitions as ``spans``."""

    spans: str
    signals: str
    """Loops, as JSON, by run."""
    state: str
    """Snapshots of long traces, by trace; compacted. Of one consumer group alone."""
    decisions: str | None = None
    """What is decided about runs, as JSON, by run; compacted. None: nothing is decided."""
    marked: str | None = None
    """Every message again, with loopwatch's attributes on its spans. None: they go nowhere."""

    def outputs(self) -> Iterator[tuple[str, dict[str, str]]]:
        """The topics that are written to, and what is configured on them when they are made."""
        yield self.signals, {}
        yield self.state, COMPACTED
        if self.decisions is not None:
            yield self.decisions, COMPACTED
        if self.marked is not None:
            yield self.marked, {}

    def told(self) -> list[str]:
        """Those that others read."""
        return [topic for topic in (self.signals, self.decisions, self.marked) if topic is not None]


def prepare(admin: AdminClient, topics: Topics) -> None:
    """Make the topics that are missing.

    :raises ValueError: where there is no topic of spans, or one of the others has another number of partitions.
    :raises KafkaException: where the brokers do not answer, or do not let us make a topic.
    """
    known = _partitions(admin)
    if topics.spans not in known:
        raise ValueError(f"topic: {topics.spans!r} does not exist; it must be there, as the Collector fills it")
    count = known[topics.spans]
    for name, config in topics.outputs():
        if name not in known:
            _make(admin, NewTopic(name, count, BROKERS_DEFAULT, config=config))
        elif known[name] != count:
            raise ValueError(f"{name!r} has {known[name]} partitions; it must have {count}, as {topics.spans!r} has")


def _partitions(admin: AdminClient) -> dict[str, int]:
    return {name: len(topic.partitions) for name, topic in admin.list_topics(timeout=TIMEOUT_S).topics.items()}


def _make(admin: AdminClient, topic: NewTopic) -> None:
    """Make a topic, unless another worker just did."""
    try:
        admin.create_topics([topic])[topic.topic].result(TIMEOUT_S)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise
