"""What could be held against a line. Whole numbers that never fall; ties are broken alike for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .runs import Step

Score = Callable[[Sequence[Step]], Iterator[int]]
"""From the steps of a run to its score after each."""

LENGTH = "calls alone"
SHIPPED = "calls, in vain three times"
DECAY = 0.9


def _fading(steps: Sequence[Step]) -> Iterator[int]:
    """Length and three times a count of calls again that fades, in tenths; the most it has come to."""
    fading, before, most = 0.0, 0, 0
    for step in steps:
        fading, before = fading * DECAY + step.again - before, step.again
        most = max(most, round(10 * (step.calls + 3 * fading)))
        yield most


def _vain(steps: Sequence[Step]) -> Iterator[int]:
    return (step.in_vain for step in steps)


SCORES: dict[str, Score] = {
    LENGTH: lambda steps: (step.calls for step in steps),
    SHIPPED: lambda steps: (step.effort for step in steps),
    "calls, again three times": lambda steps: (step.calls + 2 * step.again for step in steps),
    "calls in vain alone": _vain,
    "calls again alone": lambda steps: (step.again for step in steps),
    "calls + 3 x calls again, fading": _fading,
    "signals alone": lambda steps: (step.signals for step in steps),
}
TWO_LINES = "first of two lines, alpha/2 each: calls; calls in vain"
EITHER = (SCORES[LENGTH], _vain)
