"""Which calls are the same again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from live_agent import SIGNAL

from otel_loopwatch.control.again import Request, repeats_of, request_of
from otel_loopwatch.model import Kind, ToolCall

A, B, C = (("search", {"query": word}) for word in ("kettle", "lamp", "chair"))
QUESTION = ("search", {"query": "return policy used kettles"})
REWORDED = ("search", {"query": "policy about used kettles, return"})
OTHER = ("search", {"query": "opening hours north depot"})


def request(call: tuple[str, object]) -> Request:
    """The request of a tool and arguments."""
    return request_of(ToolCall(run="run", tool=call[0], arguments=call[1]))


@pytest.mark.parametrize(
    ("kind", "count", "period", "past", "asked", "again"),
    [
        (Kind.IDENTICAL, 3, 1, [B, A, A, A], A, True),
        (Kind.IDENTICAL, 3, 1, [B, A, A, A], B, False),
        (Kind.IDENTICAL, 3, 1, [A], ("search", '{"query": "kettle"}'), True),
        (Kind.IDENTICAL, 3, 1, [A], ("search", {"query": " Kettle"}), True),
        (Kind.IDENTICAL, 3, 1, [A], ("find", {"query": "kettle"}), False),
        (Kind.IDENTICAL, 3, 1, [("search", None)], ("search", None), False),
        (Kind.DUPLICATE_WRITE, 2, 1, [A, A], A, True),
        (Kind.PING_PONG, 3, 2, [C, A, B, A, B, A, B], B, True),
        (Kind.PING_PONG, 3, 2, [C, A, B, A, B, A, B], C, False),
        (Kind.CYCLE, 3, 3, [A, B, C] * 3, C, True),
        (Kind.RETRY_STORM, 3, 1, [A, B, C], B, True),
        (Kind.NO_PROGRESS, 5, 1, [OTHER, A, B, C, B, A], OTHER, False),
        (Kind.DRIFT, 3, 1, [QUESTION, QUESTION, REWORDED], ("search", {"query": "used kettles: policy?"}), True),
        (Kind.DRIFT, 3, 1, [QUESTION, QUESTION, REWORDED], OTHER, False),
        (Kind.DRIFT, 3, 1, [QUESTION, QUESTION, REWORDED], ("search", {}), False),
        (Kind.BUDGET, 9, 1, [A], ("search", {"query": "anything"}), True),
        (Kind.BUDGET, 9, 1, [A], ("find", {"query": "anything"}), False),
    ],
)
def test_the_calls_of_a_loop_are_known_again(
    kind: Kind, count: int, period: int, past: list[tuple[str, object]], asked: tuple[str, object], again: bool
) -> None:
    """By kind: the same call, one of the round, a failure seen, a rewording, or the whole tool."""
    signal = replace(SIGNAL, kind=kind, count=count, period=period)
    assert repeats_of(signal, list(map(request, past))).holds(request(asked)) is again
