"""Marks as bytes, and onto the spans of a request."""

from __future__ import annotations

import pytest
from gateway.agents import OTHER_TRACE, TRACE, tool, traces
from gateway.whole import marks_on, spans_of

from otel_loopwatch.gateway.marking import Marks, marked, packed
from otel_loopwatch.stream import Mark, MarkedSpan

BODY = traces(tool(1), tool(2)).body
ATTRIBUTES = {
    "loopwatch.loop.detected": True,
    "loopwatch.loop.count": 2**40,
    "loopwatch.share": 0.5,
    "loopwatch.loop.kind": "identical",
    "loopwatch.loop.tools": ("search", "ümlaut"),
}


def test_marks_come_back_as_they_were() -> None:
    """Values of every type, events, a status; on their span alone."""
    marks: Marks = {
        (TRACE, 101): MarkedSpan(9, dict(ATTRIBUTES), [Mark("loopwatch.loop", ATTRIBUTES, 7)], "It loops."),
        (OTHER_TRACE, 102): MarkedSpan(attributes={"loopwatch.a": 1}),
    }
    arrived = spans_of(marked(BODY, packed(marks)))
    expected = {**ATTRIBUTES, "loopwatch.loop.tools": ["search", "ümlaut"]}
    assert marks_on(arrived[101], "loopwatch.") == expected
    (event,) = arrived[101].events
    assert (event.name, event.time_unix_nano, marks_on(event, "loopwatch.")) == ("loopwatch.loop", 7, expected)
    assert (arrived[101].status.code, arrived[101].status.message) == (2, "It loops.")
    assert arrived[102] == tool(2)


def test_what_has_no_marks_takes_no_bytes() -> None:
    """So that nobody writes it anew."""
    assert packed({}) == b""


def test_marks_of_a_call_are_small() -> None:
    """They wait as long as the downstream is away."""
    given = {
        "loopwatch.call.outcome": "success",
        "loopwatch.call.fingerprint": "570afd3515ed6ef0",
        "loopwatch.result.fingerprint": "a3dc5ebdd9750337",
    }
    assert len(packed({(TRACE, 101): MarkedSpan(attributes=dict(given))})) < 200


def test_texts_that_are_none_are_said() -> None:
    """The request goes on without marks."""
    with pytest.raises(UnicodeEncodeError):
        packed({(TRACE, 101): MarkedSpan(attributes={"loopwatch.loop.tools": ["\ud800"]})})


@pytest.mark.parametrize(("body", "marks"), [(b"\xff", packed({(TRACE, 1): MarkedSpan()})), (BODY, b"nonsense")])
def test_what_is_something_else_is_refused(body: bytes, marks: bytes) -> None:
    """Whoever asked goes on without."""
    with pytest.raises(Exception, match=r".+"):
        marked(body, marks)
