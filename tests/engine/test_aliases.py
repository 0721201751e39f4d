from __future__ import annotations

from itertools import permutations

import pytest

from otel_loopwatch.aliases import MAX_NAMES, Name, tool_of


@pytest.mark.parametrize(
    ("names", "tools"),
    [
        (("mcp__desk__find_lamp", "find_lamp"), 1),
        (("desk.find_lamp", "find_lamp"), 1),
        (("desk.find_lamp", "desk_find_lamp"), 1),
        (("desk_find_lamp", "find_lamp"), 1),
        (("functions.find_lamp", "find_lamp.tool"), 1),
        (("desk.find_lamp", "pier.find_lamp"), 2),
        (("mcp__desk__find", "mcp__pier__find"), 2),
        (("find_lamp", "lamp"), 2),
        (("find_lamp", "find_pier"), 2),
        (("old_desk_find_lamp", "find_lamp"), 2),
        (("refind_lamp", "find_lamp"), 2),
    ],
)
def test_names_of_a_tool(names: tuple[str, ...], tools: int) -> None:
    """A server in front makes no other tool, another server does; the order in which they come makes no difference."""
    for order in permutations(names):
        known: dict[str, Name] = {}
        assert len({tool_of(known, name) for name in order}) == tools


def test_a_name_keeps_its_tool() -> None:
    """What comes later does not change what was said before."""
    known: dict[str, Name] = {}
    first = [tool_of(known, name) for name in ("desk.find", "pier.find", "find")]
    assert [tool_of(known, name) for name in ("desk.find", "pier.find", "find")] == first
    assert first[0] != first[1]


def test_names_are_bounded() -> None:
    """Beyond the limit each name is a tool of its own, the same one each time."""
    known: dict[str, Name] = {}
    for number in range(2 * MAX_NAMES):
        tool_of(known, f"tool{number}")
    assert len(known) == MAX_NAMES
    assert tool_of(known, "late") == tool_of(known, "late") != tool_of(known, "later")
