from __future__ import annotations

from typing import Any

import pytest

from otel_loopwatch import asked
from otel_loopwatch.fingerprint import read
from otel_loopwatch.model import ToolCall
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import NO_POLICY

LONG = "/repo" + "/deep" * 80 + "/lamp.py"
MANY = {f"key{n}": n for n in range(asked.MAX_ARGUMENTS + 1)}


def ask(run: Run, arguments: Any, tool: str = "look") -> int | None:
    """The identity of a request."""
    return asked.identity(run, read(ToolCall(run="r", tool=tool, arguments=arguments), NO_POLICY, 65_536))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"q": "tide"}, {"q": "Tide "}, True),
        ({"q": "tide"}, {"query": "tide"}, True),
        ({"q": "tide", "n": 3}, {"query": "tide", "limit": 3}, True),
        ({"path": "src/lamp.py"}, {"path": "./src/lamp.py"}, True),
        ({"path": "src/lamp.py"}, {"path": "/repo/src/lamp.py"}, True),
        ({"path": "/repo/src/lamp.py", "n": 3}, {"path": "src/lamp.py", "n": 3}, True),
        ({"path": "src/lamp.py"}, {"file": "src/lamp.py"}, True),
        ({"path": "src/lamp.py"}, {"path": "src/pier.py"}, False),
        ({"path": "src/a/lamp.py"}, {"path": "src/b/lamp.py"}, False),
        ({"path": "src/lamp.py"}, {"file": "/repo/src/lamp.py"}, False),
        ({"path": "src/lamp.py", "n": 3}, {"path": "/repo/src/lamp.py", "n": 4}, False),
        ({"from": "a/lamp.py", "to": "b/pier.py"}, {"from": "b/pier.py", "to": "a/lamp.py"}, False),
        ({"from": "x", "to": "y"}, {"from": "y", "to": "x"}, False),
        ({"q": "tide"}, {"q": "tide", "deep": True}, False),
        ({"url": "https://a.example/x"}, {"url": "https://b.example/x"}, False),
        ({"text": "the lamp / the pier"}, {"text": "a lamp / the pier"}, False),
        ({"path": "a/b"}, {"path": "c/a/b"}, False),
        ({"path": "x" + LONG}, {"path": "y" + LONG}, False),
        ({"path": LONG}, {"path": "/root" + LONG}, False),
        ({"q": ["tide"]}, {"query": ["tide"]}, True),
        ({}, {}, True),
        (["tide"], ["tide"], True),
        (MANY, MANY, True),
        (MANY, {f"other{n}": n for n in range(len(MANY))}, False),
    ],
)
def test_two_requests(one: Any, other: Any, same: bool) -> None:
    """Another name or another beginning of a path, one at a time; values that changed places are another request."""
    run = Run(key="r")
    assert (ask(run, one) == ask(run, other)) is same


def test_the_unknown_is_not_the_same() -> None:
    """Arguments that were not captured have no identity."""
    run = Run(key="r")
    assert (ask(run, None), ask(run, None)) == (None, None)


def test_each_tool_has_its_own_latest_request() -> None:
    """What another tool was asked in between makes no difference."""
    run = Run(key="r")
    first = ask(run, {"q": "tide"})
    assert ask(run, {"query": "lamp"}, tool="search") != first
    assert ask(run, {"query": "tide"}) == first


def test_identities_are_handed_on() -> None:
    """The third is compared with the second, and has the identity of the first."""
    run = Run(key="r")
    found = [ask(run, {key: "tide"}) for key in ("q", "query", "text", "q")]
    assert len(set(found)) == 1


def test_what_is_remembered_is_bounded() -> None:
    """The tools asked longest ago go first."""
    run = Run(key="r")
    first = ask(run, {"q": "tide"}, tool="tool0")
    for number in range(1, 3 * asked.MAX_TOOLS):
        ask(run, {"q": "tide"}, tool=f"tool{number}")
    assert len(run.asked) == asked.MAX_TOOLS
    assert ask(run, {"query": "tide"}, tool="tool0") != first
