"""Exact binomial intervals."""

import pytest
from quality.intervals import clopper_pearson


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (0, 10, 0.0, 0.3085),
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (10, 10, 0.6915, 1.0),
        (0, 1, 0.0, 0.975),
        (0, 1000, 0.0, 0.00368),
    ],
)
def test_published_values(hits: int, of: int, low: float, high: float) -> None:
    """Those that tables give for 95 %."""
    assert clopper_pearson(hits, of) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("of", [3, 40, 3000])
def test_an_interval_without_hits_is_known_in_closed_form(of: int) -> None:
    """The share at which no hit at all is as likely as the tail."""
    assert clopper_pearson(0, of)[1] == pytest.approx(1 - 0.025 ** (1 / of))


def test_hits_and_misses_mirror_each_other() -> None:
    """To count the others is to turn the interval round."""
    low, high = clopper_pearson(120, 3000)
    assert clopper_pearson(2880, 3000) == pytest.approx((1 - high, 1 - low))


def test_more_confidence_is_a_wider_interval() -> None:
    """On both sides."""
    (low, high), (lower, higher) = clopper_pearson(3, 20), clopper_pearson(3, 20, 0.99)
    assert lower < low < 3 / 20 < high < higher
