"""Decisions of workers reach the agents they are about."""

from __future__ import annotations

from threading import Thread

import pytest

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

import msgspec
from confluent_kafka import KafkaError, KafkaException
from fleet.broker import Broker, until

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.identity import RunIdentity
from otel_loopwatch.control.remote import RemoteControl
from otel_loopwatch.model import Action
from otel_loopwatch.worker.follow import KafkaFollower

HALT = RunDecision(run="a/x#1", action=Action.HALT, version=7, reason="It loops.")
RUN = RunIdentity(keys=(HALT.run,))


class Ears:
    """Hears what is told."""

    def __init__(self) -> None:
        self.told: list[RunDecision] = []
        self.times = 0

    def decided(self, decision: RunDecision) -> None:
        self.told.append(decision)

    def heard(self) -> None:
        self.times += 1


def put(broker: Broker, topic: str, *decisions: RunDecision) -> None:
    """As a worker does."""
    broker.fill(topic, [(decision.run.encode(), msgspec.json.encode(decision)) for decision in decisions])


def test_what_was_decided_holds_for_a_run_of_this_process(broker: Broker) -> None:
    """What is on the topic already, and what comes later."""
    broker.make("follow_decisions", 2)
    put(broker, "follow_decisions", HALT)
    control = RemoteControl(KafkaFollower(broker.address, "follow_decisions"))
    try:
        until(lambda: control.decided(RUN), what="the decision")
        assert control.decided(RUN) == HALT
        on = RunDecision(run=HALT.run, action=Action.CONTINUE, version=8, by="anna")
        put(broker, "follow_decisions", on)
        until(lambda: control.decided(RUN) == on, what="the next decision")
    finally:
        assert control.close()


def test_the_brokers_are_heard_when_all_is_read(broker: Broker) -> None:
    """Then every few seconds; what is no decision is passed over."""
    broker.make("heard_decisions", 2)
    broker.fill("heard_decisions", [(b"a", b"no decision")])
    put(broker, "heard_decisions", HALT)
    ears, seconds = Ears(), iter(range(10_000))
    follower = KafkaFollower(broker.address, "heard_decisions", clock=lambda: next(seconds))
    thread = Thread(target=follower.follow, args=(ears,), daemon=True)
    thread.start()
    until(lambda: ears.times > 1, what="a sign of life")
    follower.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert ears.told == [HALT]


def test_brokers_that_cannot_be_reached_are_no_contact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever follows is told, and tries again."""
    monkeypatch.setattr("otel_loopwatch.worker.follow.ASK_S", 0.2)
    ears = Ears()
    with pytest.raises(KafkaException):
        KafkaFollower("localhost:1", "decisions").follow(ears)
    assert (ears.told, ears.times) == ([], 0)


def test_what_the_client_cannot_mend_is_no_contact() -> None:
    """What it can mend by itself is."""

    class Report:
        def __init__(self, error: KafkaError) -> None:
            self.error = lambda: error
            self.partition = lambda: 0

    ears, follower = Ears(), KafkaFollower("localhost:1", "decisions")
    follower._tell([Report(KafkaError(KafkaError._TRANSPORT))], ears)  # type: ignore[list-item]
    with pytest.raises(KafkaException):
        follower._tell([Report(KafkaError(KafkaError._FATAL, "gone", True))], ears)  # type: ignore[list-item]
    assert ears.told == []
