"""`otel-loopwatch worker`."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

from confluent_kafka import KafkaError, KafkaException
from fleet.broker import Broker, WorkerProcess, until
from fleet.material import Material, Mix
from worker.fleet import expected, told

from otel_loopwatch.cli import main
from otel_loopwatch.settings import Options
from otel_loopwatch.worker import service
from otel_loopwatch.worker.clients import Clients
from otel_loopwatch.worker.messages import Encoding
from otel_loopwatch.worker.outbox import Unstored
from otel_loopwatch.worker.service import Plan
from otel_loopwatch.worker.topics import Topics


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """The process's handlers are put back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Stopped:
    """Stands in for a worker: runs until the process is asked to stop."""

    plan: Plan

    def __init__(self, clients: Clients, plan: Plan, options: Options) -> None:
        type(self).plan = plan
        self.counts = Counter(messages=3)
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True

    def run(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        assert self.stopped


def test_a_worker_leaves_when_it_is_asked_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """And says what it did. Topics are named after the group, unless they are named."""
    monkeypatch.setattr(service, "Worker", Stopped)
    properties = tmp_path / "kafka.properties"
    properties.write_text("client.id=w")
    monkeypatch.setenv("OTEL_LOOPWATCH_CONTROL", "halt")
    flags = f"--group g --kafka-config {properties} --encoding json --reach 7 --out-topic o".split()
    assert main(["worker", "--brokers", "localhost:1", *flags]) == 0
    topics = Topics(spans="otlp_spans", signals="g_signals", state="g_state", decisions="g_decisions", marked="o")
    assert Stopped.plan == Plan(group="g", topics=topics, encoding=Encoding.JSON, reach=7)
    assert capsys.readouterr().err.endswith("3 messages\n")
    monkeypatch.delenv("OTEL_LOOPWATCH_CONTROL")
    assert main(["worker", "--brokers", "localhost:1", "--signals-topic", "s"]) == 0
    assert Stopped.plan.topics == Topics(spans="otlp_spans", signals="s", state="loopwatch_state")


@pytest.mark.parametrize("error", [Unstored("no room"), KafkaException(KafkaError(KafkaError._TRANSPORT, "no room"))])
def test_a_worker_that_gives_up_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    """Its exit code has it started again."""

    def fail(self: Stopped) -> None:
        raise error

    monkeypatch.setattr(service, "Worker", Stopped)
    monkeypatch.setattr(Stopped, "run", fail)
    assert main(["worker", "--brokers", "localhost:1"]) == 1
    assert "no room" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--topic", "nowhere"], "topic: 'nowhere' does not exist"),
        (["--reach", "0"], "reach: 0 must be at least 1"),
        (["--group", ""], "group: '' must not be empty"),
        (["--kafka-config", "missing"], "kafka_config: missing"),
        (["--config", "missing"], "missing"),
    ],
)
def test_bad_usage_is_one_line(broker: Broker, capsys: pytest.CaptureFixture[str], flags: list[str], told: str) -> None:
    """What is wrong, and what it must be."""
    assert main(["worker", "--brokers", broker.address, *flags]) == 2
    error = capsys.readouterr().err.splitlines()
    assert told in error[-1]


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The extra that brings it."""
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    assert main(["worker", "--brokers", "localhost:1"]) == 2
    assert "pip install 'otel-loopwatch[worker]'" in capsys.readouterr().err


def test_the_command_works_on_a_topic(broker: Broker, start: Callable[..., WorkerProcess]) -> None:
    """From its start to SIGTERM, in a process of its own."""
    messages = list(Material(4, 300, Mix(web=0, active=5)).messages())
    broker.make("command_spans", 2)
    broker.fill("command_spans", messages)
    process = start("--topic", "command_spans", "--group", "command")
    until(lambda: broker.committed("command_spans", "command") == len(messages), what="the end")
    assert process.stop() == 0
    assert f"{len(messages)} messages" in process.told
    assert told(broker, "command_signals") == dict.fromkeys(expected(messages), 1)
