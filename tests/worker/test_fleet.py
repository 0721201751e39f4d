"""Three workers, one of which is killed every few seconds: no loop is lost, and none told twice."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from random import Random

import pytest

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

from fleet.broker import Broker, WorkerProcess, until
from fleet.material import Material, Mix
from worker.fleet import expected, told, topics

log = logging.getLogger(__name__)

SPANS = int(os.environ.get("LOOPWATCH_WORKER_SPANS", "50000"))
"""A million by ``make worker-test``."""
DEADLINE_S = 60 + SPANS / 500
EVERY_S = 4.0
"""At most so long lives a worker that is to be killed."""
REACH = "300"
"""Few, so that many traces live longer."""


@pytest.mark.parametrize("seed", [1])
def test_killed_workers_lose_nothing_and_tell_nothing_twice(
    broker: Broker, start: Callable[..., WorkerProcess], seed: int
) -> None:
    """The signals on the topic are those of one process that reads everything, each once."""
    random, material = Random(seed), Material(seed, SPANS, Mix(web=0.85))
    messages = list(material.messages())
    used = topics(broker, "fleet", partitions=6)
    broker.fill(used.spans, messages)
    args = ("--topic", used.spans, "--group", "fleet", "--reach", REACH)
    fleet, kills, end = [start(*args) for _ in range(3)], 0, time.monotonic() + DEADLINE_S

    def committed() -> int:
        return broker.committed(used.spans, "fleet")

    while committed() < len(messages):
        assert time.monotonic() < end, f"{committed()} of {len(messages)} messages after {kills} kills"
        before, kill_at = committed(), time.monotonic() + EVERY_S
        until(lambda: time.monotonic() >= kill_at or committed() == len(messages), what="the next kill")  # noqa: B023
        if committed() > before or random.random() < 0.5:
            victim = random.randrange(len(fleet))
            fleet[victim].kill()
            fleet[victim], kills = start(*args), kills + 1
    signals, ids = told(broker, used.signals), expected(messages)
    doubled = signals.total() - len(signals)
    log.info("%d spans, %d of tools; %d kills", material.told, material.tools, kills)
    log.info("%d signals expected, %d on the topic, %d of them twice", len(ids), signals.total(), doubled)
    assert kills > 0
    assert signals == dict.fromkeys(ids, 1)
