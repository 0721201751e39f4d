from __future__ import annotations

from typing import Any

import pytest

from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources.cases import calls, case_id, is_case

MS = 1_000_000


def read(*entries: Any) -> list[ToolCall]:
    """The calls of a case called ``k``, all of which can be read."""
    found = [call for call in calls({"calls": list(entries)}, "k") if call is not None]
    assert len(found) == len(entries)
    return found


def entry(**fields: Any) -> dict[str, Any]:
    """A call of a case."""
    return {"tool": "weather", **fields}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"args": {"a": 1}, "result": "rain"},
            {"arguments": {"a": 1}, "result": "rain", "failed": False, "error": None},
        ),
        ({"args": None, "result": None, "error": None}, {"arguments": None, "result": None, "failed": False}),
        ({"error": "no answer"}, {"failed": True, "error": "no answer", "result": None}),
        ({"error": True, "result": "no answer"}, {"failed": True, "error": "no answer", "result": "no answer"}),
        ({"error": True}, {"failed": True, "error": None}),
        ({"error": False, "result": "rain"}, {"failed": False, "error": None}),
        ({"error": ""}, {"failed": True, "error": None}),
        ({"turn": 2, "batch": 3}, {"user_turn": 2, "batch": 3}),
        ({"agent": "guide"}, {"agent": "guide", "run": "k", "group": "k"}),
        ({"result": "x" * 2000, "result_sha": "ab"}, {"result": "x" * 2000 + " [ab]"}),
        ({"tool": None}, {"tool": "unknown"}),
        ({"result": "short", "result_sha": "ab"}, {"result": "short"}),
        (
            {"at_ms": "soon", "turn": True, "agent": 5, "batch": "1"},
            {"start_ns": 0, "user_turn": None, "agent": None, "batch": None},
        ),
    ],
)
def test_a_call_is_read(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    """Null and absent are unknown; a true error has its text in the result."""
    (call,) = read(entry(**fields))
    assert {field: getattr(call, field) for field in expected} == expected


def test_a_call_lasts_until_just_before_the_next() -> None:
    """Calls one after another do not overlap."""
    first, second = read(entry(at_ms=0), entry(at_ms=500))
    assert (first.start_ns, first.end_ns) == (0, 500 * MS - 1)
    assert (second.start_ns, second.end_ns) == (500 * MS, 1500 * MS - 1)


def test_siblings_overlap() -> None:
    """Calls of a batch last until the first call after it starts."""
    first, second, third = read(entry(at_ms=0, batch=0), entry(at_ms=50, batch=0), entry(at_ms=900, batch=1))
    assert first.end_ns == second.end_ns == 900 * MS - 1
    assert third.start_ns == 900 * MS


def test_unknown_times_are_a_second_apart() -> None:
    """A case without times is still in order."""
    assert [call.start_ns for call in read(entry(), entry(), entry(at_ms=5000), entry())] == [
        0,
        1000 * MS,
        5000 * MS,
        6000 * MS,
    ]


def test_times_that_run_backwards_give_no_negative_call() -> None:
    """A call never ends before it starts."""
    assert all(call.end_ns >= call.start_ns for call in read(entry(at_ms=900), entry(at_ms=100)))


def test_each_of_several_agents_is_a_run() -> None:
    """Runs are told apart by agent; the case groups them."""
    found = read(entry(agent="a"), entry(agent="b"), entry())
    assert [(call.run, call.group) for call in found] == [("k/a", "k"), ("k/b", "k"), ("k", "k")]


@pytest.mark.parametrize("broken", [None, 5, {}, {"tool": 5}])
def test_what_is_no_call_is_told_apart(broken: Any) -> None:
    """A broken call gives nothing, in its place."""
    found = calls({"calls": [entry(), broken, entry(at_ms=700)]}, "k")
    assert [call and call.start_ns for call in found] == [0, None, 700 * MS]


@pytest.mark.parametrize(
    ("record", "name"), [({"id": "t1"}, "t1"), ({"id": 7}, "7"), ({}, "line-3"), ({"id": []}, "line-3")]
)
def test_a_case_has_a_name(record: dict[str, Any], name: str) -> None:
    """Its id, or else its line."""
    assert case_id(record, 3) == name


@pytest.mark.parametrize(("record", "expected"), [({"calls": []}, True), ({"calls": 5}, False), ({}, False)])
def test_a_list_of_calls_makes_a_case(record: dict[str, Any], expected: bool) -> None:
    """Nothing else is asked of one."""
    assert is_case(record) is expected
