from __future__ import annotations

import pytest

from otel_loopwatch.advice import advice, reason
from otel_loopwatch.detectors import Verdict
from otel_loopwatch.model import Evidence, Kind, Level


def verdict(kind: Kind = Kind.IDENTICAL, level: Level = Level.WARNING, tools: tuple[str, ...] = ("look",)) -> Verdict:
    """A verdict of a kind."""
    return Verdict(
        kind, level, 3, 2, Evidence.STRONG, tools, 1, "gave the same result to the same call 3 times in a row"
    )


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("kind", Kind)
def test_advice_names_the_tool_and_the_count_and_a_next_step(kind: Kind, level: Level) -> None:
    """Two or three sentences that begin with the reason and go on to what to do instead."""
    said = advice(verdict(kind, level))
    assert said.startswith(reason(verdict(kind, level)))
    assert "look" in said
    assert " 3 " in said
    assert said.count(". ") + said.endswith(".") == (3 if level is Level.CRITICAL else 2)


def test_each_kind_has_a_next_step_of_its_own() -> None:
    """No two kinds get the same advice."""
    assert len({advice(verdict(kind)) for kind in Kind}) == len(Kind)


@pytest.mark.parametrize(
    ("tools", "subject"),
    [
        ((), "The run"),
        (("look",), "look"),
        (("a", "b", "c", "d"), "a, b, c, d"),
        (("a", "b", "c", "d", "e", "f"), "a, b, c, d and 2 more"),
        (("x" * 500,), "x" * 64),
    ],
)
def test_a_reason_is_one_short_sentence(tools: tuple[str, ...], subject: str) -> None:
    """Few tools are named, long names are cut."""
    assert reason(verdict(tools=tools)) == f"{subject} gave the same result to the same call 3 times in a row."
