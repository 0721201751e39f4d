from __future__ import annotations

from collections.abc import Sequence

import pytest
from engine.story import Line, Part, call, fails, story, times

from otel_loopwatch.detectors.group import ROUNDS_KEPT, Group
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import ToolCall
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.periods import LONGEST

MANY = 5


def said(agent: str, text: str | None = "The lamp is blue and stands in the hall") -> Line:
    """One agent asks about the lamp."""
    return call("ask", {"about": "lamp"}, text, agent=agent)


def group_of(calls: list[ToolCall]) -> Group:
    """The only group of an engine that has seen the calls."""
    engine = Engine()
    for item in calls:
        engine.observe(item)
    ((_, group),) = engine._groups.items()
    return group


@pytest.mark.parametrize(
    ("parts", "period", "rounds"),
    [
        (times(MANY, said("one")), 1, MANY),
        (times(MANY, said("one"), said("two")), 2, MANY),
        (times(MANY, said("one"), said("two"), said("three")), 3, MANY),
        (times(MANY, said("one"), said("one"), said("two")), 3, MANY),
        (times(MANY, said("one", None), said("two", None)), 2, 1),
        ([[said("one", f"answer {n}x"), said("two", f"reply {n}x")] for n in range(MANY)], 2, 1),
        ([said(f"agent {n}") for n in range(MANY)], 1, 1),
    ],
)
def test_all_calls_are_one_sequence(parts: Sequence[Part], period: int, rounds: int) -> None:
    """The same call by another agent is another one; what is unknown equals nothing."""
    assert group_of(story(parts)).keys.rounds(period) == rounds


def test_a_place_says_who_did_what() -> None:
    """Run, tool and grade of each call, in order."""
    group = group_of(story(said("one"), fails("open", {"door": 4}, "It is nailed up", agent="two")))
    assert [(place.run, place.tool, place.grade, place.span_id) for place in group.places] == [
        ("story/one", "ask", Grade.INFORMATIVE, 1),
        ("story/two", "open", Grade.ERROR, 2),
    ]


def test_places_are_bounded() -> None:
    """The oldest ones go."""
    group = group_of(story(times(LONGEST * ROUNDS_KEPT, said("one"), said("two"))))
    assert len(group.places) == LONGEST * ROUNDS_KEPT
    assert group.places[-1].span_id == 2 * LONGEST * ROUNDS_KEPT
