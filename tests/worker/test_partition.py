"""A partition is gone on with wherever its owner died: no loop is lost, none told twice."""

from __future__ import annotations

from random import Random

import pytest
from fleet.material import Material, Mix

from otel_loopwatch.otlp import decode
from otel_loopwatch.settings import Options
from otel_loopwatch.spans import SpanData
from otel_loopwatch.worker.judge import Judge
from otel_loopwatch.worker.messages import Encoding, parse
from otel_loopwatch.worker.partition import Partition
from otel_loopwatch.worker.reach import Reach
from otel_loopwatch.worker.records import Source
from otel_loopwatch.worker.snapshots import Snapshot, key_of, latest


class Log:
    """A partition and the topics beside it, as Kafka keeps them."""

    def __init__(self, messages: list[list[SpanData]], reach: int) -> None:
        self.messages = messages
        self.reach = reach
        self.committed = 0
        self.state: list[tuple[bytes | None, bytes | None]] = []
        self.told: list[tuple[Source, str]] = []
        self.read = 0
        """Messages read, those that were read again included: a hundred take a second."""

    def owner(self) -> Owner:
        """A new owner, who knows what is here."""
        return Owner(self)


class Owner:
    """Reads on; may die at any moment, which is when nobody holds it any more."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._told = log.told[-1][0] if log.told else Source(-1, 0)
        self.partition = Partition(Judge(Options()), log.committed, Reach(log.reach, 60.0))
        assert self.partition.resume(latest(log.state)) == 0

    def read(self, number: int) -> None:
        """Take the next messages."""
        position = self.partition.position
        for offset, spans in enumerate(self._log.messages[position : position + number], position):
            self._log.read += 1
            signals = [signal for seen in self.partition.take(offset, spans).steps for signal in seen.signals]
            for place, signal in enumerate(signals):
                if Source(offset, place) > self._told:
                    self._log.told.append((Source(offset, place), signal.id))

    def checkpoint(self, *, dies_before_commit: bool = False) -> None:
        """Write down where it stands."""
        done = self.partition.checkpoint(self._log.read / 100)
        self._log.state += [snapshot.record() for snapshot in done.saved]
        if not dies_before_commit:
            self._log.committed = done.offset
            self._log.state += [(key_of(trace_id), None) for trace_id in self.partition.done(done.offset)]


@pytest.fixture(scope="module")
def messages() -> list[list[SpanData]]:
    """Agents, some of them long at work, among web requests; all traces in one partition."""
    material = Material(5, 2500, Mix(web=0.2, long=0.1, active=12))
    return [list(decode.spans(parse(Encoding.PROTO, value))) for _, value in material.messages()]


@pytest.fixture(scope="module")
def expected(messages: list[list[SpanData]]) -> list[str]:
    """What one owner tells who never dies."""
    log = Log(messages, 10**9)
    log.owner().read(len(messages))
    return [told for _, told in log.told]


@pytest.mark.parametrize("reach", [1, 40, 400])
def test_what_is_told_does_not_depend_on_where_owners_die(
    messages: list[list[SpanData]], expected: list[str], reach: int
) -> None:
    """Killed between messages and in the middle of checkpoints, over and over: the very signals, in their order."""
    random, log = Random(reach), Log(messages, reach)
    while log.committed < len(messages):
        owner = log.owner()
        for _ in range(random.randint(1, 4)):
            owner.read(random.randint(1, 120))
            owner.checkpoint(dies_before_commit=random.random() < 0.2)
        owner.read(random.randint(0, 40))
    assert expected
    assert [told for _, told in log.told] == expected


def test_no_more_is_read_again_than_may_be(messages: list[list[SpanData]]) -> None:
    """A checkpoint never lies further back than the reach, whatever lives long."""
    log = Log(messages, 30)
    owner = log.owner()
    behind = 0
    while log.committed < len(messages):
        owner.read(20)
        owner.checkpoint()
        behind = max(behind, owner.partition.position - log.committed)
    assert 0 < behind <= 30


@pytest.mark.parametrize(("reach", "share"), [(20, 1.0), (200, 0.3)])
def test_snapshots_go_when_their_traces_have_ended(messages: list[list[SpanData]], reach: int, share: float) -> None:
    """In the end a record without a value follows each; traces within reach never had one."""
    log = Log(messages, reach)
    owner = log.owner()
    while log.committed < len(messages):
        owner.read(20)
        owner.checkpoint()
    saved = {key for key, value in log.state if value is not None}
    assert 0 < len(saved) < share * len({spans[0].trace_id for spans in messages})
    assert latest(log.state) == []


def test_a_snapshot_that_cannot_be_read_is_counted() -> None:
    """The trace begins anew with what comes."""
    partition = Partition(Judge(Options()), 7, Reach(10, 60.0))
    assert partition.resume([Snapshot(1, 6, b"no state")]) == 1
    assert partition.position == 7
