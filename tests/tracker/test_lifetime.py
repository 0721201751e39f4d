"""What the tracker keeps, and when it lets go."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tracker.trees import (
    READER,
    agent,
    calls,
    chain,
    ends,
    from_file,
    live,
    model,
    new_tracker,
    spans_of,
    tool,
    tool_calls,
    turns,
)

from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import Tracked, Tracker

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("run_key", "", "run_key: '' must be"),
        ("max_traces", 0, "max_traces: 0 must be at least 1"),
        ("ttl_s", 0, "ttl_s: 0 must be more than 0"),
        ("ttl_s", float("nan"), "ttl_s: nan must be more than 0"),
        ("ttl_s", float("inf"), "ttl_s: inf must be more than 0 seconds, and finite"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(setting: str, value: object, message: str) -> None:
    """The error names the field, the value and the rule."""
    with pytest.raises(ValueError, match=message):
        Tracker(**{setting: value})  # type: ignore[arg-type]


def test_nothing_is_left_when_the_root_has_ended() -> None:
    """The state of a trace goes with its root."""
    tracker = new_tracker()
    told = list(live(spans_of(agent("x", model(), tool("find"), chain("y", tool("read")))), tracker))
    assert len(tool_calls(told)) == 2
    assert len(tracker) == 0


def test_the_least_recently_active_trace_makes_room() -> None:
    """Runs of an evicted trace end by capacity, and it is counted."""
    tracker = new_tracker(max_traces=2)
    told = []
    for trace in (1, 2, 3):
        root, call = spans_of(agent("x", tool("find")), trace=trace, first_ns=trace * 100)
        tracker.start(root)
        told += tracker.end(call)
    assert len(tracker) == 2
    assert [(int(run, 16), reason) for run, reason in ends(told)] == [(1, "capacity")]
    assert tracker.skipped["evicted"] == 1


def test_a_silent_trace_is_dropped_after_its_time() -> None:
    """By ``expire``, or by the spans of others."""
    tracker = new_tracker(ttl_s=1)
    root, call = spans_of(agent("x", tool("find")), trace=1)
    tracker.start(root)
    tracker.end(call)
    assert tracker.expire(SECOND // 2) == []
    assert ends(tracker.expire(3 * SECOND)) == [(f"{1:032x}", "ttl")]
    tracker.start(spans_of(agent("x"), trace=2, first_ns=3 * SECOND)[0])
    tracker.start(spans_of(agent("x"), trace=3, first_ns=9 * SECOND)[0])
    assert len(tracker) == 1


def test_a_span_that_comes_twice_counts_once() -> None:
    """Files repeat spans, and so do retries."""
    tracker = new_tracker()
    root, call = spans_of(agent("x", tool("find")))
    tracker.start(root)
    tracker.start(call)
    tracker.start(call)
    assert len(tool_calls(tracker.end(call))) == 1
    assert tracker.end(call) == []
    assert dict(tracker.skipped) == {"duplicate": 2}


def test_a_span_whose_start_was_missed_is_followed() -> None:
    """As when the processor was added while the agent was at work."""
    tracker = new_tracker()
    root, call = spans_of(agent("x", tool("find")))
    assert calls(tracker.end(call)) == [("", "find")]
    assert ends(tracker.end(root)) == [("", "ended")]


def test_a_call_after_the_end_of_its_trace_is_late_but_seen() -> None:
    """It keeps the trace's key, and its state goes by time."""
    tracker = new_tracker(ttl_s=1)
    root, first, late = spans_of(agent("x", tool("find"), tool("find")))
    tracker.start(root)
    tracker.start(late)
    assert [*calls(tracker.end(first)), *ends(tracker.end(root))] == [("", "find"), ("", "ended")]
    assert calls(tracker.end(late)) == [("", "find")]
    assert tracker.skipped["late"] == 1
    assert len(tracker.expire(5 * SECOND)) == 1
    assert len(tracker) == 0


def test_spans_written_after_the_fact_are_one_run() -> None:
    """LangSmith's parents end before their children start."""
    tracker = new_tracker()
    told = []
    for span in spans_of(agent("helper", chain("tools", tool("find")), chain("tools", tool("read")))):
        tracker.start(span)
        told += tracker.end(span)
    assert calls(told) == [("", "find"), ("", "read")]
    assert ends(told) == []


def test_tools_of_an_agent_elsewhere_are_one_run() -> None:
    """An MCP server sees each call as a root with a remote parent: the run goes on after each of them."""
    tracker = new_tracker()
    told = []
    for span in spans_of(*[tool("find")] * 3, parent=5):
        tracker.start(span)
        told += tracker.end(span)
    assert calls(told) == [("", "find")] * 3
    assert ends(told) == []


def test_an_agent_with_a_remote_parent_ends_with_its_span() -> None:
    """A service called by another frees its trace when the request is done."""
    tracker = new_tracker()
    told = list(live(spans_of(chain("request", agent("x", model(), tool("find"))), parent=5), tracker))
    assert ends(told)[-1] == ("", "ended")
    assert len(tracker) == 0


def test_a_second_request_in_one_trace_is_not_late() -> None:
    """A caller may come back in the same trace."""
    tracker = new_tracker()
    told = list(live(spans_of(agent("x", tool("find")), parent=5), tracker))
    again = [
        span._replace(span_id=span.span_id + 500) for span in spans_of(agent("x", tool("find")), parent=5, first_ns=900)
    ]
    told += live(again, tracker)
    assert calls(told) == [("", "find")] * 2
    assert tracker.skipped["late"] == 0


def test_a_stream_read_after_its_function_returned_is_one_run() -> None:
    """The root span ends before the tools beneath it run (LlamaIndex through OpenLLMetry)."""
    tracker = new_tracker()
    root, response, *found = spans_of(chain("workflow", model(), tool("find"), tool("find")))
    tracker.start(root)
    tracker.start(response)
    tracker.end(response)
    told = tracker.end(root)
    for number, span in enumerate(found, 1):
        moved = span._replace(start_ns=root.end_ns + 10 * number, end_ns=root.end_ns + 10 * number + 1)
        tracker.start(moved)
        told += tracker.end(moved)
    assert calls(told) == [("", "find")] * 2
    assert ends(told) == [("", "ended")]
    assert tracker.skipped["late"] == 1


def test_a_forgotten_span_is_not_waited_for() -> None:
    """As one whose start was refused: it never ends."""
    tracker = new_tracker()
    root, call = spans_of(agent("x", tool("find")))
    tracker.start(root)
    tracker.start(call)
    tracker.forget(call.trace_id, call.span_id)
    tracker.forget(root.trace_id, root.span_id)
    tracker.forget(99, 1)
    assert len(tracker) == 0


def test_the_spans_of_one_trace_are_bounded() -> None:
    """A trace of ten thousand open spans keeps the latest, and its root."""
    tracker = new_tracker()
    tracker.start(spans_of(agent("x"))[0])
    for index in range(10_000):
        tracker.start(SpanData(7, 100_000 + index, 7001, "work", attributes={"a": 1}, start_ns=index))
    assert tracker.skipped["evicted"] == 10_001 - 4096
    (call,) = tool_calls(
        tracker.end(SpanData(7, 5, 109_999, "find", attributes={"role": "tool"}, start_ns=1, end_ns=2))
    )
    assert call.agent == "x"


def test_agent_names_are_bounded() -> None:
    """Beyond a thousand names a run is named by its span; each key stays its own."""
    told = from_file(chain("flow", *(agent(f"a{index}", tool("find")) for index in range(1500))))
    runs = [call.run for call in tool_calls(told)]
    assert len(set(runs)) == 1500
    assert max(len(run) for run in runs) < 200


def test_runs_that_never_end_stay_under_the_cap() -> None:
    """Memory depends on the cap, not on the traffic."""
    tracker = Tracker(reader=READER, max_traces=100)
    for trace in range(1, 20_001):
        tracker.start(SpanData(trace, trace, 0, "x", attributes={"role": "agent"}, start_ns=trace))
    assert len(tracker) == 100
    assert tracker.skipped["evicted"] == 20_000 - 100


def test_spans_may_come_from_many_threads() -> None:
    """Threads of one trace and of others lose no call and get no other's."""
    tracker = new_tracker()
    root = SpanData(1, 1, 0, "x", attributes={"role": "agent"}, start_ns=1, end_ns=2)
    tracker.start(root)

    def work(thread: int) -> list[Tracked]:
        told: list[Tracked] = []
        for index in range(200):
            span_id = thread * 1000 + index
            call = SpanData(1, span_id, 1, f"t{thread}", attributes={"role": "tool"}, start_ns=index, end_ns=index + 1)
            own = call._replace(trace_id=span_id, parent_id=0)
            for span in (call, own):
                tracker.start(span)
                told += tracker.end(span)
        return told

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(1, 9)))
    assert [len(tool_calls(told)) for told in results] == [400] * 8
    assert [{call.tool for call in tool_calls(told)} for told in results] == [{f"t{thread}"} for thread in range(1, 9)]
    assert ends(tracker.end(root)) == [(f"{1:032x}", "ended")]
    assert len(tracker) == 0


def test_ordinary_traces_leave_nothing_behind() -> None:
    """Requests in which no agent works are followed while they are open, and no longer."""
    tracker = new_tracker(ttl_s=1)
    request = chain("request", chain("query"), chain("query", chain("inner")))
    assert list(live_ordinary(spans_of(request), tracker)) == []
    assert len(tracker) == 0
    for span in spans_of(request):
        tracker.start(span)
    assert (len(tracker), tracker.expire(5 * SECOND), len(tracker)) == (1, [], 0)


def live_ordinary(spans: list[SpanData], tracker: Tracker) -> list[Tracked]:
    """Starts, each of them twice, then ends, the innermost first."""
    for span in spans:
        tracker.start(span)
        tracker.start(span)
    assert tracker.skipped["duplicate"] == len(spans)
    return [event for span in reversed(spans) for event in tracker.end(span)]


def test_an_agent_in_an_ordinary_trace_is_followed_from_its_root() -> None:
    """What was ordinary until then is remembered: the run ends with the request, not before."""
    tracker = new_tracker()
    request, inner, *work = spans_of(chain("request", chain("handler", tool("find"), tool("read"))))
    for span in (request, inner):
        tracker.start(span)
    told = []
    for span in work:
        tracker.start(span)
        told += tracker.end(span)
    told += tracker.end(inner)
    assert calls(told) == [("", "find"), ("", "read")]
    assert ends(told) == []
    assert ends(tracker.end(request)) == [("", "ended")]
    assert {call.scope_span_id for call in tool_calls(told)} == {request.span_id}


def test_a_span_that_a_run_lived_in_is_no_response() -> None:
    """OpenInference for Google ADK makes a model's span of the agent's, once the model has answered in it."""
    tracker = new_tracker()
    root, call = spans_of(agent("x", tool("find")))
    told = []
    tracker.start(root)
    tracker.start(call)
    told += tracker.end(call)
    told += tracker.end(root._replace(attributes={"role": "model", "tokens": 9}))
    assert [*calls(told), *ends(told)] == [("", "find"), ("", "ended")]
    assert turns(told) == []
