"""A process that keeps requests is killed at any point, again and again: what it acknowledged is there."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from gateway import dying_writer
from gateway.storing import opened

from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.spool import Spool


@dataclass(slots=True)
class Told:
    """What the killed processes said."""

    kept: dict[int, Request] = field(default_factory=dict)
    ending: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)

    def take(self, line: str) -> None:
        """One line of a process."""
        fact, position, *rest = line.split()
        if fact == "kept":
            assert int(position) not in self.kept
            self.kept[int(position)] = Request(Signal.LOGS, dying_writer.body(*map(int, rest)))
        else:
            (self.ending if fact == "ending" else self.ended).add(int(position))


@pytest.mark.parametrize("seed", range(3))
def test_what_was_acknowledged_outlives_kill_9(tmp_path: Path, seed: int) -> None:
    """What was done stays done, what was under way is whole or not there, and no position is given twice."""
    told, chance = Told(), random.Random(seed)
    for round_ in range(4):
        highest = max(told.kept, default=0)
        before = set(told.kept)
        run_and_kill(tmp_path, f"{seed} {round_}", chance.randrange(1, 600), told)
        assert all(position > highest for position in set(told.kept) - before)
        with opened(tmp_path, dying_writer.MAX_BYTES) as spool:
            check(spool, told)
    assert told.ended


def run_and_kill(folder: Path, seed: str, lines: int, told: Told) -> None:
    """Kill a process after so many lines; what it wrote before it died is read to the end."""
    command = [sys.executable, dying_writer.__file__, str(folder), seed]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(lines):
            told.take(process.stdout.readline())
        process.kill()
        for line in process.stdout:
            told.take(line)


def check(spool: Spool, told: Told) -> None:
    """The spool holds what it must, nothing that is done, and of the rest at most one request per thread."""
    pending = set(spool.pending())
    assert spool.damaged == 0
    assert told.kept.keys() - told.ending <= pending
    assert not told.ended & pending
    assert all(spool.read(position) == told.kept[position] for position in pending & told.kept.keys())
    unheard = pending - told.kept.keys()
    assert len(unheard) <= dying_writer.THREADS
    told.kept.update((position, spool.read(position)) for position in unheard)
