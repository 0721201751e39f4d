"""Calls that only the messages of model spans tell of."""

import pytest
from tracker.trees import (
    READER,
    agent,
    calls,
    chain,
    ends,
    from_file,
    model,
    new_tracker,
    spans_of,
    tool,
    tool_calls,
    turns,
)  # fmt: skip

from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import Tracked, replay

Exchange = tuple[list[tuple[str, str, str]], list[tuple[str, str]]]
"""What a response asks for (id, tool, arguments), and the results in its request (id, text)."""

SCRIPT: list[Exchange] = [
    ([("c0", "order", "A")], []),
    ([("c1", "find", "q")], [("c0", "shipped")]),
    ([("c2", "find", "q"), ("c3", "find", "r")], [("c0", "shipped"), ("c1", "none")]),
    ([], [("c0", "shipped"), ("c1", "none"), ("c2", "none"), ("c3", "some")]),
]
EXPECTED = [("order", "A", "shipped"), ("find", "q", "none"), ("find", "q", "none"), ("find", "r", "some")]


def requests(script: list[Exchange], *, same_ids: bool = True, whole: bool = True) -> list[dict[str, object]]:
    """What each model span says; the history repeats what was asked before."""
    said: list[dict[str, object]] = []
    asked: list[tuple[str, str, str]] = []
    heard = 0
    for calls_, results in script:
        new = results if whole else results[heard:]
        heard = len(results)
        renamed = [(call_id if same_ids else f"other-{call_id}", text) for call_id, text in new]
        said.append({"asks": calls_, "results": renamed, "history": list(asked) if whole else [], "tokens": 9})
        asked += calls_
    return said


def alone(said: list[dict[str, object]]) -> list[SpanData]:
    """Every request in a trace of its own."""
    return [
        span
        for index, says in enumerate(said)
        for span in spans_of(model(**says), trace=index + 1, first_ns=index * 100 + 1)
    ]


def read(told: list[Tracked]) -> list[tuple[str, object, object]]:
    """Tool, arguments and result of each call."""
    return [(call.tool, call.arguments, call.result) for call in tool_calls(told)]


@pytest.mark.parametrize("same_ids", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_calls_are_read_from_messages_once_and_in_order(same_ids: bool, whole: bool) -> None:
    """Results join their calls by id, or by order where the ids do not match, however much history is repeated."""
    tree = chain("app", *(model(**says) for says in requests(SCRIPT, same_ids=same_ids, whole=whole)))
    assert read(from_file(tree)) == EXPECTED


@pytest.mark.parametrize("same_ids", [True, False])
def test_requests_in_traces_of_their_own_are_one_run(same_ids: bool) -> None:
    """The history tells which conversation a request goes on with."""
    tracker = new_tracker()
    told = list(replay(alone(requests(SCRIPT, same_ids=same_ids)), tracker))
    assert read(told) == EXPECTED
    assert len({call.run for call in tool_calls(told)} | {f"{1:032x}"}) == 1
    assert len(turns(told)) == 4
    assert [call.batch for call in tool_calls(told)] == [1, 2, 3, 3]


def test_a_call_lies_between_the_response_that_asks_and_the_request_that_tells() -> None:
    """Its span is the one that revealed its result."""
    first, second = spans_of(chain("app", *(model(**says) for says in requests(SCRIPT[:2]))))[1:]
    (call,) = [call for call in tool_calls(replay([first, second], new_tracker())) if call.result is not None]
    assert (call.start_ns, call.end_ns, call.span_id) == (first.end_ns, second.start_ns, second.span_id)


def test_two_conversations_that_reuse_ids_stay_apart() -> None:
    """A request without history begins a new run."""
    both = alone(requests(SCRIPT)) + [span._replace(trace_id=span.trace_id + 50) for span in alone(requests(SCRIPT))]
    tracker = new_tracker()
    told = [event for span in both for event in tracker.end(span)]
    assert read(told) == EXPECTED * 2
    assert len({call.run for call in tool_calls(told)}) == 2


def test_tool_spans_make_messages_superfluous() -> None:
    """Where tools have spans, messages tell nothing new, not even what was never answered."""
    said = requests(SCRIPT)
    tree = agent(
        "x",
        model(**said[0]),
        tool("order", arguments="A"),
        model(**said[1]),
        tool("find", arguments="q"),
        model(**said[2]),
    )
    assert [name for _, name in calls(from_file(tree))] == ["order", "find"]


def test_a_call_without_a_result_is_told_when_its_run_ends() -> None:
    """It was made, as far as anyone knows."""
    told = from_file(agent("x", model(asks=[("c0", "order", "A")])))
    assert read(told) == [("order", "A", None)]
    assert ends(told) == [("", "ended")]


def test_a_repeated_id_is_a_repeated_call() -> None:
    """A scripted model that uses one id for all of its calls loses none."""
    script: list[Exchange] = [
        ([("c", "find", "q")], []),
        ([("c", "find", "q")], [("c", "none")]),
        ([], [("c", "none"), ("c", "none")]),
    ]
    assert read(from_file(chain("app", *(model(**says) for says in requests(script))))) == [("find", "q", "none")] * 2


def test_a_single_late_request_tells_the_whole_conversation() -> None:
    """One sampled request is enough to judge a run by."""
    assert read(list(replay(alone(requests(SCRIPT))[3:], new_tracker()))) == EXPECTED


def test_earlier_calls_in_an_agents_memory_are_not_its_own() -> None:
    """History that comes with the first request of a trace tells of other runs."""
    tree = agent("x", model(history=[("old", "order", "B")], results=[("old", "shipped")]), tool("find"))
    assert [name for _, name in calls(from_file(tree))] == ["find"]


def test_earlier_results_in_an_agents_memory_answer_no_call_of_its_own() -> None:
    """What the first request of a run already held is old, even where ids do not join."""
    old = [("r0", "shipped"), ("r1", "none")]
    first, second = model(asks=[("c", "find", "q")], results=old), model(results=[*old, ("r2", "new")])
    assert read(from_file(chain("app", first, second))) == [("find", "q", "new")]


@pytest.mark.parametrize("how", ["ttl", "capacity"])
def test_calls_lost_with_their_run_are_counted(how: str) -> None:
    """A conversation that is dropped with a call unanswered leaves a trace in the counts."""
    tracker = new_tracker(max_traces=1)
    told = tracker.end(spans_of(model(asks=[("c0", "find", "q")]), trace=1)[0])
    if how == "capacity":
        told += tracker.end(spans_of(model(asks=[("c1", "find", "q")]), trace=2)[0])
    else:
        told += tracker.expire(2**62)
    assert [reason for _, reason in ends(told)] == [how]
    assert tracker.skipped["unfinished"] == 1


def test_the_ids_by_which_conversations_are_known_are_bounded() -> None:
    """Ten thousand calls later, a conversation that goes on is taken for a new one."""
    tracker = new_tracker()
    told = tracker.end(spans_of(model(asks=[("first", "find", "q")]), trace=1)[0])
    for index in range(2, 50):
        asks = [(f"c{index}.{call}", "find", "q") for call in range(256)]
        told += tracker.end(spans_of(model(asks=asks), trace=index)[0])
    again = spans_of(model(history=[("first", "find", "q")], results=[("first", "none")]), trace=99)
    told += tracker.end(again[0])
    assert [call.run for call in tool_calls(told) if call.result == "none"] == [f"{99:032x}"]


def test_the_results_remembered_are_bounded() -> None:
    """After a thousand old results, new calls still find theirs."""
    old = [model(results=[(f"r{part}.{index}", "old") for index in range(256)]) for part in range(4)]
    tree = chain("app", *old, model(asks=[("c", "find", "q")]), model(results=[("c", "new")]))
    assert read(from_file(tree)) == [("find", "q", "new")]


def test_a_lone_response_without_calls_is_no_run() -> None:
    """A classifier's requests are nobody's loop."""
    tracker = new_tracker()
    assert list(replay(spans_of(model(tokens=5)), tracker)) == []
    assert len(tracker) == 0


def test_a_native_clients_span_within_an_instrumentations_is_one_response() -> None:
    """The one that knows the messages is read, the response counts once."""
    said = requests(SCRIPT)
    spans = [
        span
        for index, says in enumerate(said)
        for span in spans_of(model(model(tokens=9), **says), trace=index + 1, first_ns=index * 100 + 1)
    ]
    told = list(replay(spans, new_tracker()))
    assert read(told) == EXPECTED
    assert len(turns(told)) == 4


def test_calls_that_wait_are_bounded() -> None:
    """The oldest is told without a result when too many wait."""
    asks = [(f"c{index}", "find", "q") for index in range(300)]
    tree = chain("app", model(asks=asks))
    assert len(tool_calls(from_file(tree))) == 300
    assert READER.turn(spans_of(tree)[1]).calls[0].call_id == "c0"
