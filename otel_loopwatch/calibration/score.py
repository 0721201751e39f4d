"""What is held against the line: how much a run has spent on its calls, those that got it nowhere counted thrice.

Length alone is blind where runs are short or capped; loops alone are blind to runs that wander. A call that fails, or
brings nothing new, weighs more than one that does its work. `benchmarks/calibration.py` compares this with others.
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest as digest

EXTRA = 2
"""What a call that failed or brought nothing new counts on top of the 1 of every call."""
PARTS = 1_000_000
"""Steps of the tie-break: scores have six decimals, which a file shows and reads back exactly."""


def effort_of(calls: int, fruitless: int) -> int:
    """Calls, those that were fruitless counted three times; it never falls while a run goes on."""
    return calls + EXTRA * fruitless


def score(effort: int, run: str) -> float:
    """The effort, and behind the point a number below 1 that follows from the run's key.

    Efforts are whole numbers and many runs share one. Ties would make the line stop fewer good runs, and far fewer bad
    ones, than it may; the same run gets the same number on every machine.
    """
    return (effort * PARTS + digest(run.encode("utf-8", "surrogatepass")) % PARTS) / PARTS
