"""Properties of Kafka's clients."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

from confluent_kafka import Producer

from otel_loopwatch.worker.clients import Clients, read_properties
from otel_loopwatch.worker.service import Plan
from otel_loopwatch.worker.topics import Topics

TOPICS = Topics(spans="spans", signals="signals", state="state")


def test_a_file_of_properties_is_read(tmp_path: Path) -> None:
    """Comments and empty lines are left out; a value may hold an equals sign."""
    path = tmp_path / "kafka.properties"
    path.write_text("# comment\n\n sasl.password = a=b \nconsumer.session.timeout.ms=6000\n")
    assert read_properties(str(path)) == {"sasl.password": "a=b", "consumer.session.timeout.ms": "6000"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("client.id", "line 1: it must be key=value"),
        ("\n=1", "line 2: it must be key=value"),
        ("enable.auto.commit=true", "enable.auto.commit is the worker's own"),
        ("producer.enable.idempotence=false", "producer.enable.idempotence is the worker's own"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """With the line and the rule; its values are not shown, they may be secret."""
    path = tmp_path / "kafka.properties"
    path.write_text(text)
    with pytest.raises(ValueError, match=told):
        read_properties(str(path))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """As any setting that is wrong."""
    with pytest.raises(ValueError, match=r"kafka_config: .*missing"):
        read_properties(str(tmp_path / "missing"))


def test_each_client_gets_the_properties_meant_for_it() -> None:
    """Those of consumers are no concern of producers; the worker's own cannot be changed by the others'."""
    clients = Clients("localhost:1", {"client.id": "w", "consumer.session.timeout.ms": "6000", "producer.acks": "all"})
    member = clients.member("group")
    member.close()
    assert isinstance(clients.producer(), Producer)
    with pytest.raises(ValueError, match=r"no\.such\.thing"):
        Clients("localhost:1", {"no.such.thing": "1"}).producer()


@pytest.mark.parametrize(("field", "value"), [("group", ""), ("reach", 0)])
def test_a_plan_that_cannot_be_is_refused(field: str, value: object) -> None:
    """Naming the field, its value and the rule."""
    with pytest.raises(ValueError, match=f"{field}: .* must"):
        Plan(**{"group": "loopwatch", "topics": TOPICS, field: value})  # type: ignore[arg-type]
