"""Which of the past scores is the line. Exact: 0.95 of 20 is 19, and not a little more or less.

If a new good run and the ``runs`` past ones are exchangeable, its score is above the ``rank``-th smallest of theirs
with a probability of at most ``alpha`` (over the draw of all of them).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil


def rank(runs: int, alpha: Fraction) -> int:
    """Place of the line among the sorted scores, from 1: the smallest k with k >= (runs + 1)(1 - alpha).

    A place beyond the last score is infinity: too few runs to promise anything.
    """
    return ceil((runs + 1) * (1 - alpha))


def minimum_runs(alpha: Fraction) -> int:
    """Fewest runs with which the line is finite: 19 for alpha = 0.05."""
    return ceil((1 - alpha) / alpha)
