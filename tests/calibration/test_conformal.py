"""The line among past scores: exact, and never above what was promised."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.calibration import Calibration, GoodRun, GoodRuns, learn, minimum_runs, rank, score

ALPHAS = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)
SCORES = st.lists(st.floats(0, 50), max_size=60)
TIES = st.lists(st.integers(0, 3).map(float), max_size=60)

RANKS = [
    ("nobody to learn from", 0, "1/20", 1),
    ("one too few for one in twenty", 18, "1/20", 19),
    ("the fewest for one in twenty", 19, "1/20", 19),
    ("one more changes nothing", 20, "1/20", 20),
    ("0.7 of 10 is 7, which floats miss", 9, "3/10", 7),
    ("many", 87, "1/20", 84),
    ("one in a hundred", 99, "1/100", 99),
]


@pytest.mark.parametrize(("runs", "alpha", "expected"), [row[1:] for row in RANKS], ids=[row[0] for row in RANKS])
def test_place_of_the_line_is_exact(runs: int, alpha: str, expected: int) -> None:
    """The smallest whole k with k >= (n + 1)(1 - alpha), without a rounding error."""
    assert rank(runs, Fraction(alpha)) == expected


@pytest.mark.parametrize(("alpha", "expected"), [("1/20", 19), ("1/10", 9), ("1/100", 99), ("3/10", 3), ("1/2", 1)])
def test_fewest_runs_with_a_line(alpha: str, expected: int) -> None:
    """With one run less, the place of the line is beyond the last score."""
    share = Fraction(alpha)
    assert minimum_runs(share) == expected
    assert rank(expected, share) == expected
    assert rank(expected - 1, share) == expected


def test_too_few_runs_are_only_watched() -> None:
    """An infinite line, and nothing is kept of the scores; one run more makes it finite."""
    few, enough = (GoodRuns.of(range(number), Fraction(1, 20)) for number in (18, 19))
    assert (few.line(Fraction(1, 20)), few.top) == (inf, ())
    assert (enough.line(Fraction(1, 20)), enough.top) == (18, (18,))


@settings(deadline=None)
@given(st.one_of(SCORES, TIES), ALPHAS)
def test_of_any_runs_no_more_than_promised_are_above_the_line_of_the_others(
    scores: list[float], alpha: Fraction
) -> None:
    """Each run once as the new one. The guarantee rests on this: any of exchangeable runs may be the new one."""
    above = 0
    for at, new in enumerate(scores):
        above += new > GoodRuns.of(scores[:at] + scores[at + 1 :], alpha).line(alpha)
    assert above <= alpha * len(scores)


@settings(deadline=None)
@given(st.one_of(SCORES, TIES), ALPHAS, st.lists(st.sampled_from("abcdefgh"), max_size=12))
def test_feedback_never_lowers_the_line(scores: list[float], alpha: Fraction, mistaken: list[str]) -> None:
    """Whatever is fed back, once or again, the line stays or rises; and what is kept is enough to tell."""
    calibration = Calibration(alpha, {"a": GoodRuns.of(scores, alpha)})
    for run in mistaken:
        changed = calibration.stopped_by_mistake(run, "a")
        assert changed.lines()["a"] >= calibration.lines()["a"]
        calibration = changed
    infinite = [inf] * len(set(mistaken))
    assert calibration.lines()["a"] == GoodRuns.of([*scores, *infinite], alpha).line(alpha)


def test_feedback_on_enough_runs_makes_the_line_infinite() -> None:
    """Ten mistakes in a hundred runs are more than one in twenty: nothing is stopped any more."""
    calibration = learn((GoodRun(f"r{n}", "a", f"t{n}", n) for n in range(100)), Fraction(1, 20))
    for number in range(10):
        calibration = calibration.stopped_by_mistake(f"m{number}", "a")
    assert calibration.lines() == {"a": inf}


def made_up(rng: Random) -> GoodRun:
    """A run whose calls and failures depend on how hard its task is."""
    key, hardness = f"{rng.random()}", rng.random() ** 3
    return GoodRun(key, "a", key, 1 + int(rng.expovariate(1 / (1 + 20 * hardness))))


def test_share_of_good_runs_stopped_keeps_the_promise() -> None:
    """Over many draws of past and new runs, close to alpha and not above it by more than chance allows."""
    rng, alpha, stopped = Random(7), Fraction(1, 10), []
    for _ in range(400):
        line = learn((made_up(rng) for _ in range(49)), alpha).lines()["a"]
        stopped.append(fmean(score(run.effort, run.run) > line for run in (made_up(rng) for _ in range(40))))
    assert 0.085 < fmean(stopped) < 0.109
