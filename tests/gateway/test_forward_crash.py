"""A gateway that is killed at any point, before a downstream that has its troubles: nothing acknowledged is lost."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway import dying_forwarder
from gateway.downstreams import Handler, HttpServer, cut, half, status

from otel_loopwatch.gateway.forward.forwarder import THREADS

KILLS = 3
TROUBLES = (status(503, Retry_After="1"), cut, half)


class Backend:
    """Takes two of three requests."""

    def __init__(self, seed: int) -> None:
        self.taken: Counter[bytes] = Counter()
        self._chance = random.Random(seed)
        self.server = HttpServer(self._answer)

    def _answer(self, handler: Handler) -> None:
        if self._chance.random() < 1 / 3:
            self._chance.choice(TROUBLES)(handler)
        else:
            self.taken[handler.taken.body.strip(b". ")] += 1
            status(200)(handler)


@pytest.fixture
def backend(seed: int) -> Iterator[Backend]:
    """One for the whole test."""
    made = Backend(seed)
    yield made
    made.server.close()


@pytest.mark.parametrize("seed", range(2))
def test_what_was_acknowledged_is_delivered(tmp_path: Path, seed: int, backend: Backend) -> None:
    """After some kills and a quiet start each request was taken; only those in flight at a kill were taken twice."""
    chance = random.Random(seed)
    acknowledged: set[bytes] = set()
    for round_ in range(KILLS):
        acknowledged |= run_and_kill(tmp_path, backend, f"{seed}-{round_}", chance.randrange(1, 300))
    command = [sys.executable, dying_forwarder.__file__, str(tmp_path), backend.server.url, dying_forwarder.DRAIN]
    subprocess.run(command, check=True, timeout=60)
    assert acknowledged <= backend.taken.keys()
    assert backend.taken.total() - len(backend.taken) <= KILLS * THREADS


def run_and_kill(folder: Path, backend: Backend, seed: str, lines: int) -> set[bytes]:
    """What a process acknowledged until it was killed, after so many lines."""
    command = [sys.executable, dying_forwarder.__file__, str(folder), backend.server.url, seed]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        return {line.strip() for line in (*first, *process.stdout)}
