"""Verdicts, and the figures in words."""

from __future__ import annotations

import pytest
from cost.rows import Part, Row


@pytest.mark.parametrize(
    ("measured", "limit", "verdict"),
    [
        (0.4, 0.5, "met"),
        (0.5, 0.5, "met"),
        (8.06, 0.5, "16 times the target"),
        (1.6, 1.5, "1.1 times the target"),
        (56.9, 0.5, "114 times the target"),
        (12.0, None, ""),
    ],
)
def test_a_verdict_says_how_far_off_a_figure_is(measured: float, limit: float | None, verdict: str) -> None:
    """At most the limit is met; without a limit there is nothing to say."""
    assert Row(Part.ENGINE, "calls", measured, "x a span", limit).verdict == verdict


@pytest.mark.parametrize(
    ("measured", "said"),
    [(0.51234, "0.512 KB"), (17.06, "17.1 KB"), (123456.7, "123,457 KB"), (0.0, "0 KB"), (-250.4, "-250 KB")],
)
def test_figures_have_three_digits(measured: float, said: str) -> None:
    """And large ones no exponent."""
    assert Row(Part.MEMORY, "a run", measured, "KB").said == said


def test_a_target_is_what_is_allowed() -> None:
    """Nothing is said where there is none."""
    assert Row(Part.MEMORY, "a run", 1.0, "KB", 4.0).target == "at most 4"
    assert Row(Part.MEMORY, "a run", 1.0, "KB").target == ""
