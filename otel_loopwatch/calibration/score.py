"""What is held against the line: the calls of a run, those that got it nowhere counted three times.

Length alone is blind where runs are short or capped; loops alone are blind to runs that wander. The sum of both is
easily explained, and never falls while a run goes on. `make calibration` compares it with others.
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest as digest

IN_VAIN = 2
"""What a call that failed or brought nothing new counts on top of the 1 of every call."""
PARTS = 1_000_000
"""Steps of the tie-break: scores have six decimals, which a file shows and reads back exactly."""


def effort_of(calls: int, in_vain: int) -> int:
    """Calls, of which those in vain are counted three times."""
    return calls + IN_VAIN * in_vain


def score(effort: int, run: str) -> float:
    """The effort, and behind the point a number below 1 that follows from the run's key.

    Efforts are whole numbers and many runs share one. Ties would make the line stop fewer good runs, and far fewer bad
    ones, than it may; the same run gets the same number on every machine.
    """
    return (effort * PARTS + digest(run.encode("utf-8", "surrogatepass")) % PARTS) / PARTS
