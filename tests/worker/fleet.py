"""What workers make of a material, and what they should."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Thread

from fleet.broker import Broker

from otel_loopwatch.otlp import decode
from otel_loopwatch.settings import Control, Options
from otel_loopwatch.stream.watch import StreamWatch
from otel_loopwatch.worker.clients import Clients
from otel_loopwatch.worker.messages import Encoding, parse
from otel_loopwatch.worker.service import Plan, Worker
from otel_loopwatch.worker.topics import Topics

PROPERTIES = {"consumer.session.timeout.ms": "6000", "consumer.heartbeat.interval.ms": "500"}
"""A worker that was killed is missed after six seconds, the least brokers allow."""


def expected(messages: Iterable[tuple[bytes, bytes]]) -> set[str]:
    """Ids of the signals that one process gives which reads everything and never dies."""
    watch = StreamWatch(Options())
    requests = (parse(Encoding.PROTO, value) for _, value in messages)
    judged = (watch.take(decode.spans(request)) for request in requests)
    return {signal.id for steps in judged for seen in steps for signal in seen.signals}


def topics(broker: Broker, name: str, partitions: int = 4) -> Topics:
    """Topics of a test of its own; that of the spans is there."""
    broker.make(f"{name}_spans", partitions)
    return Topics(
        spans=f"{name}_spans", signals=f"{name}_signals", state=f"{name}_state", decisions=f"{name}_decisions"
    )


def told(broker: Broker, topic: str) -> Counter[str]:
    """Ids of the signals on a topic, and how often they are there."""
    return Counter(json.loads(message.value() or b"")["id"] for message in broker.read(topic))


@contextmanager
def worker(
    broker: Broker,
    plan: Plan,
    options: Options | None = None,
    properties: dict[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Worker]:
    """A worker in a thread; asked to leave at the end. What it raised is raised here."""
    clients = Clients(broker.address, {**PROPERTIES, **(properties or {})})
    member = Worker(clients, plan, options or Options(control=Control.HALT), clock)
    failures: list[Exception] = []

    def work() -> None:
        try:
            member.run()
        except Exception as error:  # noqa: BLE001 - raised where the test can see it
            failures.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        yield member
    finally:
        member.stop()
        thread.join(60)
        assert not thread.is_alive()
        for failure in failures:
            raise failure
