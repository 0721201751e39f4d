"""Whatever is appended, done, restarted, crashed and damaged, in whatever order: what is not done is there."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from gateway.storing import segments
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from otel_loopwatch.gateway.room import MIN_BYTES
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.spool import Spool
from otel_loopwatch.gateway.spool.records import HEAD_BYTES
from otel_loopwatch.gateway.spool.spool import OFFSETS
from otel_loopwatch.gateway.store import StoreFull

sizes = st.one_of(st.integers(0, 300), st.integers(0, MIN_BYTES // 3))
indices = st.integers(0, 10_000)


class Life(RuleBasedStateMachine):
    """A spool, and what it must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(mkdtemp())
        self.folders = (self.home / str(number) for number in count())
        self.folder = next(self.folders)
        self.spool = Spool(self.folder, MIN_BYTES)
        self.kept: dict[int, Request] = {}
        self.done: dict[int, Request] = {}
        self.last = 0
        self.damaged = False

    @rule(signal=st.sampled_from(Signal), pattern=st.binary(min_size=1, max_size=20), size=sizes)
    def receives(self, signal: Signal, pattern: bytes, size: int) -> None:
        """A request, larger or smaller; refused only where it does not fit, and never where nothing is kept."""
        request = Request(signal, (pattern * size)[:size])
        try:
            position = self.spool.append(request)
        except StoreFull:
            assert self.kept
            assert self.spool.size + HEAD_BYTES + size > MIN_BYTES
            return
        assert position > self.last
        self.last = position
        self.kept[position] = request

    @rule(index=indices, several=st.integers(1, 8))
    def delivers(self, index: int, several: int) -> None:
        """Some requests, oldest first or not."""
        for position in sorted(self.kept)[index % (len(self.kept) + 1) :][:several]:
            self.spool.done(position)
            self.done[position] = self.kept.pop(position)

    @rule(index=indices)
    def is_told_twice(self, index: int) -> None:
        """What is done stays done."""
        if self.done:
            self.spool.done(list(self.done)[index % len(self.done)])

    @rule()
    def restarts(self) -> None:
        """In good order."""
        self.spool.close()
        self.opens()

    @rule(torn=st.binary(max_size=40))
    def crashes(self, torn: bytes) -> None:
        """Nothing is closed: the next process finds what lay on the disk then, and half a record."""
        crashed, self.folder = self.spool, next(self.folders)
        shutil.copytree(crashed._folder, self.folder)
        crashed.close()
        self.write_half(torn)
        self.opens()
        assert self.damaged or self.spool.damaged == 0

    @precondition(lambda self: self.kept)
    @rule(index=indices, place=st.integers(0, HEAD_BYTES + 200), bit=st.integers(0, 7))
    def is_damaged(self, index: int, place: int, bit: int) -> None:
        """One bit of one record: that one is lost, and no other."""
        position = sorted(self.kept)[index % len(self.kept)]
        place %= HEAD_BYTES + len(self.kept[position].body)
        self.spool.close()
        flip(self.file_of(position), position % OFFSETS + place, bit)
        self.opens()
        del self.kept[position]
        self.damaged = True

    @rule(index=indices, garbage=st.binary(min_size=1, max_size=30), bit=st.integers(0, 7))
    def ticks_are_damaged(self, index: int, garbage: bytes, bit: int) -> None:
        """Some of what was done comes back, and nothing else changes."""
        self.spool.close()
        for file in sorted(self.folder.glob("*.done")):
            flip(file, index % file.stat().st_size, bit)
            with file.open("ab") as ticks:
                ticks.write(garbage)
        self.opens()
        for position in set(self.spool.pending()) - set(self.kept):
            self.kept[position] = self.done.pop(position)

    @invariant()
    def all_that_is_not_done_is_there(self) -> None:
        """As it was sent, and within the bytes; the files hold it, and little else."""
        assert self.spool.pending() == sorted(self.kept)
        assert {position: self.spool.read(position) for position in self.kept} == self.kept
        assert self.spool.size == sum(path.stat().st_size for path in segments(self.folder)) <= MIN_BYTES
        assert len(segments(self.folder)) <= len({position // OFFSETS for position in self.kept}) + 1

    def opens(self) -> None:
        """The next process."""
        self.spool = Spool(self.folder, MIN_BYTES)

    def file_of(self, position: int) -> Path:
        """The segment of a position."""
        return next(self.folder.glob(f"{position // OFFSETS:010}-*.requests"))

    def write_half(self, torn: bytes) -> None:
        """A record of which the process wrote no more, with zeros or other bytes that look like its head."""
        newest = segments(self.folder)[-1]
        mark = bytes.fromhex(newest.stem.partition("-")[2])
        with newest.open("ab") as file:
            file.write((mark + b"\xff\xff\xff\xff" + torn)[: len(torn)])

    def teardown(self) -> Any:
        """Nothing stays."""
        self.spool.close()
        shutil.rmtree(self.home)


def flip(path: Path, offset: int, bit: int) -> None:
    """Damage one bit."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 1 << bit
    path.write_bytes(data)


def test_what_is_not_done_is_there() -> None:
    """Many lives of a spool."""
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Life,
        settings=settings(
            max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
