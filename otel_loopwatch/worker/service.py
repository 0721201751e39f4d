"""The worker: a member of a consumer group, from joining to draining."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Event

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from otel_loopwatch.control.hook import resolve_hook
from otel_loopwatch.digests import Digests
from otel_loopwatch.settings import Control, Options
from otel_loopwatch.telemetry import names
from otel_loopwatch.worker.clients import Clients
from otel_loopwatch.worker.decisions import Decisions
from otel_loopwatch.worker.judge import Judge
from otel_loopwatch.worker.marking import Marking
from otel_loopwatch.worker.messages import Encoding
from otel_loopwatch.worker.outbox import Outbox
from otel_loopwatch.worker.owned import Owned
from otel_loopwatch.worker.partition import Partition
from otel_loopwatch.worker.reach import Reach
from otel_loopwatch.worker.records import Record, Source
from otel_loopwatch.worker.recovery import left_behind
from otel_loopwatch.worker.snapshots import key_of
from otel_loopwatch.worker.telling import Arrived, Telling
from otel_loopwatch.worker.topics import TIMEOUT_S, Topics, prepare

log = logging.getLogger(names.SCOPE)

AT_ONCE = 500
"""Messages taken from the client at a time."""
WAIT_S = 0.2
"""How long one waits for the first of them."""
CHECKPOINT_S = 2.0
PAUSE_S = 5.0
"""After such a pause others may have our partitions: they are missed after six seconds at the earliest."""
REACH, REACH_S = 50_000, 60.0
"""How far back a restart may have to read, whichever is less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a worker does.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    group: str
    topics: Topics
    encoding: Encoding = Encoding.PROTO
    reach: int = REACH
    """Messages of a partition that may be read again after a restart; traces that began before are saved."""

    def __post_init__(self) -> None:
        if not self.group:
            raise ValueError("group: '' must not be empty")
        if self.reach < 1:
            raise ValueError(f"reach: {self.reach} must be at least 1")


class Worker:
    """Judges the partitions it is given, until it is asked to stop.

    ``counts``: as of :class:`~otel_loopwatch.worker.owned.Owned` and :class:`~otel_loopwatch.worker.outbox.Outbox`, and
    snapshots that were ``unreadable``.

    :raises ValueError: for options that do not go with a worker, and as :func:`~otel_loopwatch.worker.topics.prepare`.
    :raises KafkaException: where the brokers cannot be reached.
    """

    def __init__(
        self, clients: Clients, plan: Plan, options: Options, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if options.run_key != "trace":
            raise ValueError(f"run_key: {options.run_key!r} must be 'trace': a worker sees a part of all traces")
        self._clients = clients
        self._plan = plan
        self._options = options
        self._clock = clock
        self._hook = resolve_hook(options.control.value)
        self._owned: dict[int, Owned] = {}
        self._leaving = Event()
        self._due = 0.0
        self._awake = 0.0
        """When we last knew that we had not stood still."""
        self.counts: Counter[str] = Counter()
        prepare(clients.admin(), plan.topics)
        self._outbox = Outbox(clients.producer(), self.counts, self._leaving, clock)
        self._consumer: Consumer = clients.member(plan.group)

    def stop(self) -> None:
        """Ask the worker to write down where it stands and to leave; for any thread."""
        self._leaving.set()

    def run(self) -> None:
        """Work until :meth:`stop`.

        :raises KafkaException: for what the client cannot mend.
        :raises Unstored: where something told could not be stored.
        """
        self._join()
        try:
            while not self._leaving.is_set():
                self._work()
        except BaseException:
            self._owned.clear()  # where it stands cannot be written down
            raise
        finally:
            self._consumer.close()

    @property
    def partitions(self) -> list[int]:
        """Those that this worker has now."""
        return sorted(self._owned)

    def _join(self) -> None:
        self._consumer.subscribe(
            [self._plan.topics.spans], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost
        )
        self._awake = self._clock()

    def _work(self) -> None:
        for message in self._consumer.consume(AT_ONCE, WAIT_S):
            if self._paused():
                self._begin_again()
                break
            self._receive(message)
        self._outbox.serve()
        self._awake = self._clock()
        if self._awake >= self._due:
            self._checkpoint(self._owned)
            self._awake = self._clock()
            self._due = self._awake + CHECKPOINT_S

    def _paused(self) -> bool:
        """Whether the process stood still, as with its machine: the client may not have noticed yet what it lost."""
        before, self._awake = self._awake, self._clock()
        return self._awake - before > PAUSE_S

    def _begin_again(self) -> None:
        """Forget what we know: whoever has the partitions now knows it better."""
        log.warning("The worker stood still; it joins the group anew")
        self._owned.clear()
        self._consumer.unsubscribe()
        self._join()

    def _receive(self, message: Message) -> None:
        error = message.error()
        if error is not None:
            if error.fatal():
                raise KafkaException(error)
            log.warning("The brokers report: %s", error)
            return
        number, offset = message.partition(), message.offset()
        owned = self._owned.get(number) if number is not None else None
        if owned is not None and number is not None and offset is not None:
            for record, source in owned.take(Arrived(offset, _bytes(message.key()), _bytes(message.value()))):
                self._outbox.put(record, number, source)

    # Where we stand.

    def _checkpoint(self, numbers: Iterable[int]) -> None:
        """What was told is stored, then what is saved, and then it is committed up to where."""
        self._outbox.store()
        done = {number: self._owned[number].partition.checkpoint(self._clock()) for number in numbers}
        for number, checkpoint in done.items():
            for snapshot in checkpoint.saved:
                self._save(number, *snapshot.record())
        self._outbox.store()
        if self._commit({number: checkpoint.offset for number, checkpoint in done.items()}):
            for number, checkpoint in done.items():
                for trace_id in self._owned[number].partition.done(checkpoint.offset):
                    self._save(number, key_of(trace_id), None)
            self._outbox.store()

    def _save(self, number: int, key: bytes, value: bytes | None) -> None:
        source = Source(self._owned[number].partition.position, 0)
        self._outbox.put(Record(self._plan.topics.state, key, value), number, source)

    def _commit(self, offsets: dict[int, int]) -> bool:
        """Whether the group took the offsets; it does not while its partitions are given out anew."""
        topic = self._plan.topics.spans
        moved = [
            TopicPartition(topic, number, offset)
            for number, offset in offsets.items()
            if offset != self._owned[number].partition.committed
        ]
        try:
            if moved:
                self._consumer.commit(offsets=moved, asynchronous=False)
        except KafkaException as error:
            log.info("Offsets were not committed: %s", error)
            return False
        return True

    # Partitions come and go.

    def _assigned(self, consumer: Consumer, given: list[TopicPartition]) -> None:
        reader = self._clients.reader(self._plan.group)
        try:
            started = [self._begin(reader, part) for part in consumer.committed(given, timeout=TIMEOUT_S)]
        finally:
            reader.close()
        consumer.incremental_assign(started)
        self._awake = self._clock()

    def _begin(self, reader: Consumer, committed: TopicPartition) -> TopicPartition:
        """Take over a partition from where its last owner stood; that one may have died at any moment."""
        low, _ = reader.get_watermark_offsets(committed, timeout=TIMEOUT_S)
        start, number = max(low, committed.offset), committed.partition
        left = left_behind(reader, self._plan.topics, number)
        partition = Partition(Judge(self._options, self._marking()), start, Reach(self._plan.reach, REACH_S))
        self.counts["unreadable"] += partition.resume(left.snapshots)
        decisions = None if self._options.control is Control.OBSERVE else Decisions(self._hook)
        if decisions is not None:
            decisions.restore(left.decided)
        telling = Telling(self._plan.topics, self._plan.encoding, decisions)
        self._owned[number] = Owned(partition, telling, left.told, self._plan.encoding, self.counts)
        log.info("Partition %d from offset %d, %d traces restored", number, start, len(left.snapshots))
        return TopicPartition(committed.topic, number, start)

    def _marking(self) -> Marking | None:
        shown = Digests(self._options.digest_key).fingerprint
        return None if self._plan.topics.marked is None else Marking(self._hook, shown)

    def _revoked(self, consumer: Consumer, taken: list[TopicPartition]) -> None:
        """Others take over: they go on from what is written down now."""
        numbers = [part.partition for part in taken if part.partition in self._owned]
        self._checkpoint(numbers)
        self._drop(taken)

    def _lost(self, consumer: Consumer, taken: list[TopicPartition]) -> None:
        """Others have taken over already, from what was written down last."""
        self._drop(taken)

    def _drop(self, taken: list[TopicPartition]) -> None:
        for part in taken:
            self._owned.pop(part.partition, None)
        log.info("Partitions %s go to others", [part.partition for part in taken])


def _bytes(value: bytes | str | None) -> bytes | None:
    return value if isinstance(value, bytes) else None
