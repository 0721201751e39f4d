"""Exact binomial intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, fsum, lgamma, log, log1p

HALVINGS = 40
"""Of the unit interval, to the place of a bound: one part in 10^12."""


@lru_cache(maxsize=4096)
def clopper_pearson(hits: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """The shares that seeing ``hits`` in ``of`` does not rule out (Clopper and Pearson, 1934)."""
    tail = (1 - confidence) / 2
    high = _crossing(lambda share: _at_most(hits, of, share) < tail) if hits < of else 1.0
    low = _crossing(lambda share: 1 - _at_most(hits - 1, of, share) > tail) if hits else 0.0
    return low, high


def _at_most(hits: int, of: int, share: float) -> float:
    """Chance of no more than so many hits."""
    yes, no = log(share), log1p(-share)
    return fsum(exp(ways + k * yes + (of - k) * no) for k, ways in enumerate(_log_ways(of)[: hits + 1]))


@lru_cache(maxsize=64)
def _log_ways(of: int) -> list[float]:
    """Logarithms of the binomial coefficients."""
    return [lgamma(of + 1) - lgamma(k + 1) - lgamma(of - k + 1) for k in range(of + 1)]


def _crossing(beyond: Callable[[float], bool]) -> float:
    """The share from which on something holds."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return (low + high) / 2
