"""Workers on a real broker."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from threading import Event

import pytest

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

import msgspec
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from fleet.broker import Broker, until
from fleet.material import Material, Mix
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from worker.fleet import PROPERTIES, expected, told, topics, worker

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.model import Action
from otel_loopwatch.otlp import jsons
from otel_loopwatch.settings import Control, Options
from otel_loopwatch.telemetry import names
from otel_loopwatch.worker import owned
from otel_loopwatch.worker.clients import Clients
from otel_loopwatch.worker.messages import Encoding, parse, serialised
from otel_loopwatch.worker.outbox import Outbox, Unstored
from otel_loopwatch.worker.records import HEADER, Record, Source
from otel_loopwatch.worker.service import Plan, Worker
from otel_loopwatch.worker.topics import Topics

Messages = Sequence[tuple[bytes, bytes]]


@pytest.fixture(scope="module")
def messages() -> Messages:
    """Agents among web requests."""
    return list(Material(11, 2000, Mix(web=0.5, active=12)).messages())


@pytest.fixture(scope="module")
def ids(messages: Messages) -> set[str]:
    """The signals that are in them."""
    return expected(messages)


def test_loops_in_the_spans_of_a_topic_are_told_on_another(broker: Broker, messages: Messages, ids: set[str]) -> None:
    """Once each, by run, with where they came from; when the worker leaves, everything is committed."""
    used = topics(broker, "happy")
    broker.fill(used.spans, messages)
    with worker(broker, Plan(group="happy", topics=used)) as member:
        until(lambda: member.counts["messages"] == len(messages), what="all messages")
        assert member.partitions == [0, 1, 2, 3]
    assert ids
    assert told(broker, used.signals) == dict.fromkeys(ids, 1)
    assert broker.committed(used.spans, "happy") == len(messages)
    record = broker.read(used.signals)[0]
    assert record.key() == json.loads(record.value() or b"")["run"].encode()
    assert [name for name, _ in record.headers() or ()] == [HEADER]
    assert member.partitions == []


def test_the_next_worker_goes_on(broker: Broker, messages: Messages, ids: set[str]) -> None:
    """With the traces that were live when the one before left, wherever that was; no loop is told twice."""
    used = topics(broker, "next")
    half = len(messages) // 2
    for part in (messages[:half], messages[half:]):
        broker.fill(used.spans, part)
        with worker(broker, Plan(group="next", topics=used, reach=20)) as member:
            until(lambda: member.counts["messages"] >= len(part), what="all messages")  # noqa: B023
    assert told(broker, used.signals) == dict.fromkeys(ids, 1)


def test_what_was_told_is_not_told_again(broker: Broker, messages: Messages, ids: set[str]) -> None:
    """Another group with the same outputs reads all messages anew, and has nothing to tell."""
    used = topics(broker, "again")
    broker.fill(used.spans, messages)
    for group in ("again", "once more"):
        with worker(broker, Plan(group=group, topics=used)) as member:
            until(lambda: member.counts["messages"] == len(messages), what="all messages")
    assert told(broker, used.signals) == dict.fromkeys(ids, 1)


def test_json_is_read_as_well(broker: Broker, messages: Messages, ids: set[str]) -> None:
    """As the exporter's otlp_json."""
    used = topics(broker, "json")
    broker.fill(used.spans, [(key, jsons.line(parse(Encoding.PROTO, value))) for key, value in messages])
    with worker(broker, Plan(group="json", topics=used, encoding=Encoding.JSON)) as member:
        until(lambda: member.counts["messages"] == len(messages), what="all messages")
    assert told(broker, used.signals) == dict.fromkeys(ids, 1)


def test_poison_is_counted_and_skipped(
    broker: Broker, messages: Messages, ids: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no request, and what the reading of spans itself fails on."""
    read = owned.decode.spans

    def failing(request: object, *args: object, **named: object) -> object:
        if len(read_so_far := seen) < 1:
            read_so_far.append(request)
            raise RuntimeError("a bug")
        return read(request, *args, **named)  # type: ignore[arg-type]

    seen: list[object] = []
    used = topics(broker, "poison", partitions=1)
    agent = next(value for _, value in Material(1, 100, Mix(web=0)).messages())
    broker.fill(used.spans, [(b"a", agent), (b"a", b"\xff\xff"), *messages, (b"b", b"{}")])
    monkeypatch.setattr(owned.decode, "spans", failing)
    with worker(broker, Plan(group="poison", topics=used)) as member:
        until(lambda: member.counts["messages"] == len(messages) + 3, what="all messages")
    assert member.counts["poison"] == 3
    assert told(broker, used.signals) == dict.fromkeys(ids, 1)


def test_partitions_are_shared_and_taken_back(broker: Broker, messages: Messages, ids: set[str]) -> None:
    """A worker that joins gets half of them, and the first one all again when it leaves; nothing is lost or doubled."""
    used = topics(broker, "share")
    third = len(messages) // 3
    plan = Plan(group="share", topics=used, reach=20)
    with worker(broker, plan) as first:
        broker.fill(used.spans, messages[:third])
        until(lambda: len(first.partitions) == 4, what="the assignment")
        with worker(broker, plan) as second:
            until(lambda: len(first.partitions) == len(second.partitions) == 2, what="the rebalance")
            broker.fill(used.spans, messages[third : 2 * third])
            until(lambda: second.counts["messages"] > 0, what="a share")
        broker.fill(used.spans, messages[2 * third :])
        until(lambda: told(broker, used.signals).keys() == ids, what="all loops")
    assert told(broker, used.signals) == dict.fromkeys(ids, 1)


def test_a_worker_that_stood_still_begins_again(broker: Broker, messages: Messages, ids: set[str]) -> None:
    """Others may have its partitions: of what it had at hand it tells nothing any more, and joins the group anew."""
    used, asleep, members = topics(broker, "pause", partitions=1), [0.0], list[Worker]()
    broker.fill(used.spans, messages)

    def clock() -> float:
        if members and members[0].counts["messages"] == 100:
            asleep[0] = 10.0
        return time.monotonic() + asleep[0]

    with worker(broker, Plan(group="pause", topics=used), clock=clock) as member:
        members.append(member)
        until(lambda: member.counts["messages"] > len(messages), what="all messages, some of them again")
        until(lambda: told(broker, used.signals).keys() == ids, what="all loops")
    assert asleep[0] == 10.0
    assert told(broker, used.signals) == dict.fromkeys(ids, 1)


def test_decisions_are_told_by_run(broker: Broker, messages: Messages) -> None:
    """On a topic of their own; when a run has ended, what was decided about it is taken back."""
    used = topics(broker, "decide")
    broker.fill(used.spans, messages)
    with worker(broker, Plan(group="decide", topics=used)) as member:
        until(lambda: member.counts["messages"] == len(messages), what="all messages")
    records = [(message.key(), message.value()) for message in broker.read(used.decisions or "")]
    decisions = [msgspec.json.decode(value, type=RunDecision) for _, value in records if value is not None]
    assert {decision.action for decision in decisions} >= {Action.NUDGE, Action.HALT}
    assert all(key == decision.run.encode() for (key, value), decision in zip(
        [record for record in records if record[1] is not None], decisions, strict=True
    ))  # fmt: skip
    assert set(dict(records).values()) == {None}


@pytest.mark.parametrize("encoding", Encoding)
def test_messages_go_on_with_marks(broker: Broker, messages: Messages, encoding: Encoding) -> None:
    """All of them, in their order, under their keys; those without marks as they came, poison as well."""
    used = replace(topics(broker, f"marked-{encoding.value}", partitions=1), marked=f"marked-{encoding.value}")
    came = [(key, serialised(encoding, parse(Encoding.PROTO, value))) for key, value in messages]
    came.insert(5, (b"a", b"{"))
    broker.fill(used.spans, came)
    for part in (1, 2):  # the second has nothing to tell
        plan = Plan(group=f"marked-{encoding.value}-{part}", topics=used, encoding=encoding)
        with worker(broker, plan) as member:
            until(lambda: member.counts["messages"] == len(came), what="all messages")
    out = [(message.key(), message.value()) for message in broker.read(used.marked or "")]
    assert [key for key, _ in out] == [key for key, _ in came]
    kept = [pair == there for pair, there in zip(out, came, strict=True)]
    assert kept[5]
    assert 0.1 < kept.count(True) / len(kept) < 0.9
    marked = [parse(encoding, value) for _, value in out[:5] + out[6:]]
    loops = [a.key for request in marked for span in spans_of(request) for a in span.attributes]
    assert loops.count(names.LOOP_ID) > len(expected(messages)) / 2
    assert loops.count(names.RUN_STATUS) > 10


def spans_of(request: ExportTraceServiceRequest) -> list[Span]:
    """All spans of a request."""
    return [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]


def test_observing_decides_nothing(broker: Broker, messages: Messages) -> None:
    """The default: loops are told, no more."""
    used = topics(broker, "observe")
    broker.fill(used.spans, messages)
    with worker(broker, Plan(group="observe", topics=used), Options(control=Control.OBSERVE)) as member:
        until(lambda: member.counts["messages"] == len(messages), what="all messages")
    assert broker.read(used.decisions or "") == []


def test_a_topic_without_spans_is_refused(broker: Broker) -> None:
    """It is the Collector's to make; so are outputs of another number of partitions."""
    used = Topics(spans="nowhere", signals="s", state="t")
    with pytest.raises(ValueError, match="'nowhere' does not exist"):
        Worker(Clients(broker.address, PROPERTIES), Plan(group="g", topics=used), Options())
    used = topics(broker, "uneven")
    broker.make(used.signals, 3)
    with pytest.raises(ValueError, match="'uneven_signals' has 3 partitions; it must have 4, as 'uneven_spans' has"):
        Worker(Clients(broker.address, PROPERTIES), Plan(group="g", topics=used), Options())


def test_runs_across_traces_are_refused(broker: Broker) -> None:
    """A conversation's traces lie in many partitions."""
    with pytest.raises(ValueError, match="run_key: 'conversation' must be 'trace'"):
        Worker(Clients(broker.address, PROPERTIES), Plan(group="g", topics=TOPICS), Options(run_key="conversation"))


TOPICS = Topics(spans="any", signals="s", state="t")


def test_a_record_that_is_too_large_is_left_out(broker: Broker, messages: Messages) -> None:
    """The worker would fail of it for ever; here it is the snapshots of what is live."""
    used = topics(broker, "large", partitions=1)
    broker.fill(used.spans, messages[: len(messages) // 2])
    with worker(broker, Plan(group="large", topics=used), properties={"producer.message.max.bytes": "1000"}) as member:
        until(lambda: member.counts["oversized"] > 0, what="a snapshot")
    assert broker.committed(used.spans, "large") > 0
    assert broker.read(used.state) == []


def test_a_record_that_is_refused_ends_the_worker(broker: Broker, messages: Messages) -> None:
    """It begins again from what was stored; nothing is committed that was not."""
    used = topics(broker, "refused", partitions=1)
    broker.fill(used.spans, messages)

    def work() -> None:
        with worker(broker, Plan(group="refused", topics=used)) as member:
            until(lambda: member.partitions, what="the assignment")
            member._outbox.refused(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
            until(lambda: not member.partitions, what="the end")

    with pytest.raises(Unstored, match="could not be stored"):
        work()
    assert broker.committed(used.spans, "refused") < len(messages)


def test_brokers_that_are_away_for_good_do_not_hold_a_worker_up() -> None:
    """Asked to leave, it waits for so long and no longer."""
    ticks, leaving = iter(range(0, 10_000, 20)), Event()
    outbox = Outbox(Clients("localhost:1", {}).producer(), Counter(), leaving, lambda: next(ticks))
    outbox.put(Record("away", b"", b""), 0, Source(0, 0))
    leaving.set()
    with pytest.raises(Unstored, match="records could not be stored in 30 s"):
        outbox.store()


def test_a_partition_that_was_lost_is_left_to_others(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written down any more; an offset that the group does not take is no failure."""

    class Fenced:
        def commit(self, **_: object) -> None:
            raise KafkaException(KafkaError(KafkaError.ILLEGAL_GENERATION))

        def committed(self, given: list[TopicPartition], timeout: float) -> list[TopicPartition]:
            return given

        def incremental_assign(self, given: list[TopicPartition]) -> None:
            assert [part.offset for part in given] == [0]

    used = topics(broker, "lost", partitions=1)
    member = Worker(Clients(broker.address, PROPERTIES), Plan(group="lost", topics=used), Options())
    part = TopicPartition(used.spans, 0)
    monkeypatch.setattr(member, "_consumer", Fenced())
    member._assigned(member._consumer, [part])
    member._owned[0].partition.skip(6)
    member._checkpoint([0])
    assert member._owned[0].partition.committed == 0
    member._lost(member._consumer, [part])
    assert member.partitions == []


def test_what_the_client_cannot_mend_ends_the_worker(broker: Broker) -> None:
    """What it can mend is only logged."""

    class Report:
        def __init__(self, error: KafkaError) -> None:
            self.error = lambda: error

    used = topics(broker, "mend", partitions=1)
    member = Worker(Clients(broker.address, PROPERTIES), Plan(group="mend", topics=used), Options())
    member._receive(Report(KafkaError(KafkaError._TRANSPORT)))  # type: ignore[arg-type]
    with pytest.raises(KafkaException):
        member._receive(Report(KafkaError(KafkaError._FATAL, "fenced", True)))  # type: ignore[arg-type]
    assert member.counts["messages"] == 0


def test_a_worker_may_be_stopped_before_it_runs(broker: Broker) -> None:
    """As by a signal at the wrong moment."""
    used = topics(broker, "early", partitions=1)
    member = Worker(Clients(broker.address, PROPERTIES), Plan(group="early", topics=used), Options())
    member.stop()
    member.run()
    assert member.counts["messages"] == 0
