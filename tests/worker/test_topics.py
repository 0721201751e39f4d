"""Topics are made where they are missing, and read to their end."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

from confluent_kafka import KafkaError, KafkaException

from otel_loopwatch.worker.recovery import left_behind
from otel_loopwatch.worker.topics import COMPACTED, Topics, prepare

TOPICS = Topics(spans="spans", signals="signals", state="state")
EOF = KafkaError(KafkaError._PARTITION_EOF)


class Admin:
    """Brokers with a topic of spans; what they answer to the wish for another is given."""

    def __init__(self, error: KafkaError | None = None) -> None:
        self._error = error
        self.made: dict[str, Any] = {}

    def list_topics(self, timeout: float) -> Any:
        return SimpleNamespace(topics={"spans": SimpleNamespace(partitions={0: None, 1: None})})

    def create_topics(self, topics: list[Any]) -> dict[str, Future[None]]:
        answer: Future[None] = Future()
        for topic in topics:
            self.made[topic.topic] = topic
        if self._error is None:
            answer.set_result(None)
        else:
            answer.set_exception(KafkaException(self._error))
        return {topic.topic: answer for topic in topics}


class Reader:
    """A consumer to which this is answered, whatever it is assigned to."""

    def __init__(self, *answers: KafkaError | None) -> None:
        self._answers = list(answers)

    def assign(self, partitions: list[Any]) -> None:
        """Whatever it is."""

    def get_watermark_offsets(self, partition: Any, timeout: float) -> tuple[int, int]:
        return 0, 0

    def poll(self, timeout: float) -> Any:
        error = self._answers.pop(0)
        return None if error is None else SimpleNamespace(error=lambda: error)


def test_missing_topics_are_made_with_the_partitions_of_the_spans() -> None:
    """The state is compacted; what is not asked for is not made."""
    admin = Admin()
    prepare(admin, TOPICS)  # type: ignore[arg-type]
    assert {name: topic.num_partitions for name, topic in admin.made.items()} == {"signals": 2, "state": 2}
    assert admin.made["state"].config == COMPACTED


def test_a_topic_that_another_worker_just_made_is_there() -> None:
    """Any other refusal is told."""
    prepare(Admin(KafkaError(KafkaError.TOPIC_ALREADY_EXISTS)), TOPICS)  # type: ignore[arg-type]
    with pytest.raises(KafkaException):
        prepare(Admin(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)), TOPICS)  # type: ignore[arg-type]


def test_a_topic_is_read_to_its_end() -> None:
    """What passes by itself is waited for."""
    left = left_behind(Reader(KafkaError(KafkaError._TRANSPORT, "", False, True), EOF), TOPICS, 0)  # type: ignore[arg-type]
    assert (left.snapshots, left.told, left.decided) == ([], {}, [])


@pytest.mark.parametrize("answer", [None, KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)])
def test_a_topic_that_cannot_be_read_is_an_error(answer: KafkaError | None) -> None:
    """To go on without what is on it would tell loops twice."""
    with pytest.raises(KafkaException):
        left_behind(Reader(answer), TOPICS, 0)  # type: ignore[arg-type]
