"""Kafka's clients, and the properties that the user sets on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient

CONSUMER, PRODUCER = "consumer.", "producer."
"""Before a property of consumers or producers alone."""
GROUP = {
    "enable.auto.commit": "false",
    "auto.offset.reset": "earliest",
    "partition.assignment.strategy": "cooperative-sticky",
}
"""A worker that joins takes over some partitions; nobody stops reading the others."""
ALONE = {
    "enable.auto.commit": "false",
    "auto.offset.reset": "earliest",
    "enable.partition.eof": "true",
    "fetch.wait.max.ms": "10",  # what it waits for is the end
}
"""Of a consumer that reads a topic to its end, without a group's rebalances."""
IN_ORDER = {"enable.idempotence": "true", "message.timeout.ms": "0"}
"""What is told is stored once and in its order, however long the brokers are away."""
DEFAULTS = {PRODUCER + "compression.type": "lz4", PRODUCER + "linger.ms": "5", CONSUMER + "fetch.wait.max.ms": "100"}
OWN = frozenset({"bootstrap.servers", "group.id", *GROUP, "enable.partition.eof", *IN_ORDER})
"""Properties on which the worker's guarantees rest."""

Client = TypeVar("Client")
Properties = Mapping[str, str]
Config = dict[str, str | int | float | bool]
"""As the clients are typed; all values here are texts."""


def read_properties(path: str) -> dict[str, str]:
    """The properties in a file of ``key=value`` lines, as librdkafka names them; ``#`` begins a comment.

    :raises ValueError: naming the line and the rule it breaks, or why the file cannot be read.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"kafka_config: {path}: {error}") from None
    found = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if line and not line.startswith("#"):
            key, equals, value = (part.strip() for part in line.partition("="))
            if not (key and equals):
                raise ValueError(f"kafka_config: {path}, line {number}: it must be key=value")
            if key.removeprefix(CONSUMER).removeprefix(PRODUCER) in OWN:
                raise ValueError(f"kafka_config: {path}, line {number}: {key} is the worker's own; it must not be set")
            found[key] = value
    return found


class Clients:
    """Makes clients of one cluster.

    :raises ValueError: by its methods, for properties that librdkafka does not take.
    """

    def __init__(self, brokers: str, properties: Properties) -> None:
        self._properties = {**DEFAULTS, **properties, "bootstrap.servers": brokers}

    def member(self, group: str) -> Consumer:
        """A consumer that joins a group."""
        return _made(Consumer, self._for(CONSUMER, {**GROUP, "group.id": group}))

    def reader(self, group: str) -> Consumer:
        """A consumer of a topic's partitions from a given offset to their end, for itself."""
        return _made(Consumer, self._for(CONSUMER, {**ALONE, "group.id": group}))

    def producer(self) -> Producer:
        """Stores what is told."""
        return _made(Producer, self._for(PRODUCER, IN_ORDER))

    def admin(self) -> AdminClient:
        """Makes topics."""
        return _made(AdminClient, self._for("", {}))

    def _for(self, prefix: str, own: Properties) -> Config:
        others = {key: value for key, value in self._properties.items() if not key.startswith((CONSUMER, PRODUCER))}
        mine = {
            key.removeprefix(prefix): value
            for key, value in self._properties.items()
            if prefix and key.startswith(prefix)
        }
        return {**others, **mine, **own}


def _made(client: Callable[[Config], Client], config: Config) -> Client:
    try:
        return client(config)
    except KafkaException as error:
        raise ValueError(f"kafka_config: {error.args[0].str()}") from None
