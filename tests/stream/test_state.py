"""A trace as bytes."""

import pickle

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream.test_watch import OPTIONS, tool_span

from otel_loopwatch.dialects import CallContent, MessageCall
from otel_loopwatch.stream import StreamWatch
from otel_loopwatch.stream.state import BadState, TraceState, packed, unpacked
from otel_loopwatch.tracker.merge import Heard
from otel_loopwatch.tracker.messages import Asked, Messages, Response
from otel_loopwatch.tracker.runs import Run
from otel_loopwatch.tracker.tree import Node, Trace


def full_trace() -> Trace:
    """One that holds something of everything a trace may hold."""
    trace = Trace(7)
    span = tool_span(1)
    node = Node(span, 0, None)
    heard = Heard(CallContent(tool="a", dialect="d", arguments="{}"), 1, 2, 3, "scope")
    node.held, node.called = heard, heard.essence()
    node.run = trace.run = Run("r", "g")
    node.run.turns.answered(5, 6)
    node.run.episode(7, 8)
    node.run.messages = Messages()
    node.run.messages.ask(Asked(MessageCall("c", "a"), Response(7, 8, 9, 1, None, None, "d"), 0))
    trace.open[span.span_id] = node
    trace.opaque.add(0, span.span_id)
    trace.rounds = {(0, "step")}
    trace.alive = {"r": node.run}
    return trace


def test_everything_a_trace_holds_comes_back() -> None:
    """And what was one thing is one thing again."""
    found = unpacked(packed(TraceState(full_trace(), b"runs")))
    assert found.runs == b"runs"
    assert found.trace is not None
    node = found.trace.open[101]
    assert isinstance(node, Node)
    assert node.run is found.trace.run is (found.trace.alive or {})["r"]
    assert node.held is not None
    assert node.held.content == CallContent(tool="a", dialect="d", arguments="{}")
    assert node.run is not None
    assert len(node.run.messages or ()) == 1
    assert unpacked(packed(TraceState(None, b""))) == TraceState(None, b"")


def harmful(*what: object) -> bytes:
    """Bytes that look like a state and hold something else."""
    return msgspec.msgpack.encode((pickle.dumps(what[0]), b""))


class Runs:
    """Calls a function when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("it was called",)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(harmful(Runs()), id="a function"),
        pytest.param(harmful(StreamWatch), id="a class of ours that is no part of a trace"),
        pytest.param(harmful({"a": 1}), id="something plain"),
        pytest.param(harmful(Node(tool_span(1), 0, None)), id="a part of a trace"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x92\xc4\x00\xc4\x00", id="an empty pickle"),
        pytest.param(msgspec.msgpack.encode(("no bytes", 1)), id="other types"),
    ],
)
def test_anything_else_is_refused(state: bytes) -> None:
    """It may come from a topic that others write to."""
    with pytest.raises(BadState, match="no saved trace"):
        unpacked(state)


@given(st.data())
def test_damaged_bytes_are_refused_or_harmless(data: st.DataObject) -> None:
    """Whatever was changed in them."""
    state = bytearray(packed(TraceState(full_trace(), b"runs")))
    for _ in range(data.draw(st.integers(1, 3))):
        state[data.draw(st.integers(0, len(state) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = unpacked(bytes(state)).trace
    except BadState:
        found = None
    assert found is None or isinstance(found, Trace)


def test_what_cannot_be_restored_leaves_a_watch_as_it_was() -> None:
    """It goes on with what it knows."""
    watch = StreamWatch(OPTIONS)
    list(watch.take([tool_span(0)]))
    with pytest.raises(BadState):
        watch.restore(b"?")
    assert len(watch) == 1
