"""Kept requests as they are judged: what goes on, when, how often, and with which marks."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from gateway.agents import AGENT_SPAN, OTHER_TRACE, SECOND, TRACE, agent, bench, codex, plain, tool, traces
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_loopwatch.gateway import judging as module
from otel_loopwatch.gateway import resent
from otel_loopwatch.gateway.judging import Newest
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.otlp.values import attributes
from otel_loopwatch.spans import SpanData
from otel_loopwatch.telemetry import names

METRICS = ExportMetricsServiceRequest()
METRICS.resource_metrics.add().scope_metrics.add().metrics.add(name="of somebody")
LOGS = ExportLogsServiceRequest()
LOGS.resource_logs.add().scope_logs.add().log_records.add().body.string_value = "it rains"
MANY = tuple(tool(number) for number in range(8))


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(Request(Signal.METRICS, METRICS.SerializeToString()), id="metrics"),
        pytest.param(Request(Signal.LOGS, LOGS.SerializeToString()), id="log records"),
        pytest.param(codex(1), id="a tool event"),
        pytest.param(traces(plain(1)), id="spans of no agent"),
        pytest.param(traces(), id="nothing"),
        pytest.param(Request(Signal.TRACES, b"\xff no protobuf"), id="no spans"),
        pytest.param(Request(Signal.LOGS, b"\xff no protobuf"), id="no log records"),
        pytest.param(Request(Signal.METRICS, b"\xff no protobuf"), id="no metrics"),
    ],
)
def test_what_has_no_marks_goes_on_as_it_came(request_: Request) -> None:
    """Without marks it is not even written anew."""
    it = bench()
    it.take(request_)
    assert it.offered == [(1, b"")]


def test_a_request_waits_for_its_spans_to_be_judged() -> None:
    """Which wait for others of their trace; requests without spans of agents are not held for longer."""
    it = bench(window_ns=10)
    for position, request in enumerate((traces(tool(1)), Request(Signal.METRICS, b""), traces(tool(2))), 1):
        it.requests[position] = request
        it.judging.take(position, request, now_ns=0)
    assert it.positions == [2]
    it.judging.tick(9)
    assert (it.positions, it.judging.held) == ([2], 2)
    it.judging.tick(10)
    assert (it.positions, it.judging.held) == ([2, 1, 3], 0)


def test_a_request_of_several_traces_waits_for_the_last() -> None:
    """And has marks of all of them."""
    it = bench(window_ns=10)
    it.requests = {1: traces(tool(1)), 2: traces(tool(2), tool(3, trace=OTHER_TRACE))}
    it.judging.take(1, it.requests[1], now_ns=0)
    it.judging.take(2, it.requests[2], now_ns=5)
    it.judging.tick(10)
    assert it.positions == [1]
    it.judging.tick(15)
    assert it.positions == [1, 2]
    assert it.marks_of([101, 102, 103], "call.outcome") == ["success"] * 3


def test_a_request_that_comes_again_goes_on_with_the_same_marks() -> None:
    """Whether it was judged by then or not; its calls are counted once."""
    it = bench(window_ns=10 * SECOND)
    one = traces(*MANY[:4])
    it.take(one, traces(plain(1)), one)
    assert it.positions == [2]
    it.tick(10 * SECOND)
    it.take(one, traces(plain(1)))
    first = dict(it.offered)[1]
    assert first != b""
    assert sorted(it.offered) == [(1, first), (2, b""), (3, first), (4, first), (5, b"")]
    assert it.counts(names.TOOL_CALLS.name) == {("search", "success"): 4}
    assert it.judging.skipped["duplicate"] == 4 + 4


def test_spans_that_come_again_in_other_company_are_judged_once() -> None:
    """Their requests go on as they came."""
    it = bench()
    it.take(traces(*MANY[:4]))
    it.take(traces(*MANY[1:5]), traces(*MANY[:2]))
    assert it.positions == [1, 3, 2]
    assert it.counts(names.TOOL_CALLS.name) == {("search", "success"): 5}


def test_what_is_remembered_of_requests_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of long ago goes on as it came."""
    monkeypatch.setattr(resent, "MAX_REMEMBERED", 2)
    it = bench()
    for number in (1, 2, 3, 1):
        it.take(traces(tool(number)))
    assert [bool(marks) for _, marks in it.offered] == [True, True, True, False]


@given(st.lists(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 5)), max_size=4), max_size=12), st.integers(0, 3))
@settings(deadline=None, max_examples=60)
def test_whatever_comes_goes_on_once(requests: list[list[tuple[int, int]]], every: int) -> None:
    """Spans of some traces in any order, several times and in any company; time passes now and then."""
    it = bench(window_ns=2 * SECOND)
    for position, spans in enumerate(requests, 1):
        it.judging.take(position, traces(*(tool(number, trace=trace) for trace, number in spans)), it.now)
        it.tick(SECOND if every and position % every == 0 else 0)
    it.judging.drain()
    assert sorted(it.positions) == list(range(1, len(requests) + 1))
    assert it.judging.held == 0
    assert it.judging._waiting == {}
    assert it.judging._held_bytes == 0
    calls = {span for spans in requests for span in spans}
    assert sum(it.counts(names.TOOL_CALLS.name).values()) == len(calls)


def test_the_marks_of_a_loop() -> None:
    """On each call, on those that complete the loop, and on the agent's span at its end."""
    it = bench()
    it.take(*(traces(span) for span in MANY), traces(agent(8)))
    assert it.marks_of([100, 102, 104], "loop.level") == [None, "warning", "critical"]
    assert it.marks_of([100, 107], "call.outcome") == ["success", "success"]
    assert it.marks(AGENT_SPAN, "loop.level") == "critical"
    assert it.marks(AGENT_SPAN, "run.status") == "looped"
    assert it.emitted == []


def test_loops_of_tool_events_come_out_as_log_records() -> None:
    """The events themselves go on as they came."""
    it = bench()
    it.take(*map(codex, range(6)))
    assert it.offered == [(position, b"") for position in range(1, 7)]
    assert [record.event_name for record in it.records()] == ["loopwatch.loop"] * 2
    levels = [attributes(record.attributes)["loopwatch.loop.level"] for record in it.records()]
    assert levels == ["warning", "critical"]


def test_our_own_log_records_are_no_tool_events() -> None:
    """After a crash they are judged as everything that is kept, and lead to nothing."""
    it = bench()
    it.take(*map(codex, range(6)))
    told = it.emitted[:]
    it.take(*told)
    assert it.offered[-2:] == [(7, b""), (8, b"")]
    assert it.emitted == told


@pytest.mark.parametrize("failing", ["to", "_called", "_signalled"])
def test_requests_go_on_whatever_the_reaction_raises(
    failing: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """All of them; the failures are counted, and told once. The steps after it are judged all the same."""
    it = bench()

    def broken(*arguments: object) -> None:
        raise ZeroDivisionError(failing)

    monkeypatch.setattr(it.reaction, failing, broken)
    with caplog.at_level(logging.WARNING, "otel_loopwatch"):
        it.take(*(traces(span) for span in MANY))
        it.take(traces(plain(1)))
    assert it.positions == list(range(1, 10))
    assert it.counts(names.PROCESSOR_FAILURES.name)[("ZeroDivisionError",)] >= 2
    assert len([record for record in caplog.records if "ZeroDivisionError" in record.message]) == 1


@pytest.mark.parametrize("failing", ["take", "expire"])
def test_requests_go_on_whatever_the_watch_raises(failing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without marks."""
    it = bench()

    def broken(*arguments: object) -> Any:
        raise KeyError(failing)

    monkeypatch.setattr(it.judging._watch, failing, broken)
    it.take(traces(MANY[0]), traces(plain(1)))
    it.judging.expire(it.now)
    assert sorted(it.positions) == [1, 2]
    assert it.counts(names.PROCESSOR_FAILURES.name) == {("KeyError",): 1}


def test_marks_that_cannot_be_written_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request without them is better than none."""
    it = bench()

    def broken(marks: object) -> bytes:
        raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")

    monkeypatch.setattr(module, "packed", broken)
    it.take(traces(MANY[0]))
    assert it.offered == [(1, b"")]
    assert it.counts(names.PROCESSOR_FAILURES.name) == {("UnicodeEncodeError",): 1}


@pytest.mark.parametrize("signal", [Signal.TRACES, Signal.LOGS])
def test_what_is_not_judged_is_counted(signal: Signal) -> None:
    """It goes on."""
    it = bench()
    it.take(Request(signal, b"\xff"))
    assert +it.judging.skipped == {module.UNREADABLE: 1}
    assert it.positions == [1]


def test_a_request_that_cannot_be_read_goes_on() -> None:
    """The forwarder may have more luck."""
    it = bench()
    it.judging.pass_on(7)
    assert it.offered == [(7, b"")]
    assert it.judging.skipped[module.UNREADABLE] == 1


def test_what_is_held_is_bounded_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too much of it waits, all of it is judged at once; what went on counts no more."""
    size = len(traces(MANY[0]).body)
    monkeypatch.setattr(module, "MAX_HELD_BYTES", 3 * size)
    it = bench(window_ns=10**15)
    for position in range(1, 8):
        it.judging.take(position, traces(tool(position)), now_ns=0)
        assert it.judging.held <= 3
    assert it.positions == [1, 2, 3, 4]
    it.judging.drain()
    assert it.positions == list(range(1, 8))


def test_there_may_be_no_time_for_all_that_is_held() -> None:
    """What was not begun stays for the next process; what was goes on, or its calls would be counted twice."""
    it = bench(window_ns=10**15)
    it.requests = {
        1: traces(tool(1, trace=1), tool(2, trace=2)),
        2: traces(tool(3, trace=2)),
        3: traces(tool(4, trace=3)),
    }
    for position, request in it.requests.items():
        it.judging.take(position, request, now_ns=0)
    it.judging.drain(enough=lambda: True)
    assert it.positions == [1]
    assert it.marks_of([101, 102], "call.outcome") == ["success", None]
    it.judging.drain()
    assert it.positions == [1, 2, 3]


def test_a_tick_may_be_cut_short() -> None:
    """The rest is due at the next."""
    it = bench(window_ns=1)
    for position in range(1, 4):
        it.judging.take(position, traces(tool(position, trace=position)), now_ns=0)
    it.judging.tick(5, enough=lambda: True)
    assert it.positions == [1]
    it.judging.tick(5)
    assert it.positions == [1, 2, 3]


def test_runs_expire_by_the_time_of_their_spans() -> None:
    """Those of last year are not dropped while they come, and are when nothing came for as long as they live."""
    it = bench()
    it.take(traces(tool(1)), traces(tool(2)))
    it.judging.expire(it.now)
    assert it.counts(names.RUN_EVICTED.name) == {}
    it.judging.expire(it.now + 3599 * SECOND)
    assert it.counts(names.RUN_EVICTED.name) == {}
    it.judging.expire(it.now + 3602 * SECOND)
    assert it.counts(names.RUN_EVICTED.name) == {("ttl",): 1}


def ahead(span: Span, ns: int) -> Span:
    """The span by a clock that is ahead."""
    span.start_time_unix_nano += ns
    span.end_time_unix_nano += ns
    return span


def test_a_client_of_the_future_harms_nobody() -> None:
    """Its clock is a year ahead: the runs of others live on, and its own is judged as all are."""
    it, year = bench(), 365 * 86_400 * SECOND
    it.take(*(traces(tool(number, trace=trace)) for number in range(2) for trace in range(1, 100)))
    for number in range(6):
        it.take(traces(ahead(tool(number), year)))
    it.judging.expire(it.now)
    assert it.counts(names.RUN_EVICTED.name) == {}
    assert it.marks_of([102, 104], "loop.level") == ["warning", "critical"]
    it.take(*(traces(tool(number, trace=1)) for number in range(2, 5)))
    assert it.counts(names.LOOP_SIGNALS.name)[("search", "identical", "critical")] == 2


def span_at(end_ns: int) -> SpanData:
    """One that ended then."""
    return SpanData(TRACE, 1, end_ns=end_ns)


def test_time_goes_on_as_spans_tell_it() -> None:
    """An older span does not set it back, and between spans it passes."""
    newest = Newest()
    assert newest.time(50) == 0
    newest.see([span_at(1000), span_at(900)], now_ns=50)
    assert newest.time(60) == 1010
    newest.see([span_at(1005)], now_ns=60)
    assert newest.time(60) == 1010
    newest.see([], now_ns=70)
    newest.see([span_at(2000)], now_ns=80)
    assert newest.time(81) == 2001
