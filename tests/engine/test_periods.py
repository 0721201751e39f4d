from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.periods import LONGEST, Periods

KEYS = st.lists(st.sampled_from([1, 2, 3, None]), max_size=60)


def periods_of(keys: list[int | None]) -> Periods:
    """Periods after the keys were pushed."""
    periods = Periods()
    for key in keys:
        periods.push(key)
    return periods


def rounds_of(keys: list[int | None], period: int) -> int:
    """The reference: walk back from the end while each element equals the one a period before."""
    matches = 0
    while matches + period < len(keys):
        later = keys[-1 - matches]
        if later is None or later != keys[-1 - matches - period]:
            break
        matches += 1
    return matches // period + 1


def shortest_of(keys: list[int | None], rounds: int, start: int) -> int:
    """The reference: try each period in turn."""
    return next((p for p in range(start, LONGEST + 1) if rounds_of(keys, p) >= rounds), 0)


@given(KEYS)
def test_rounds_are_those_of_the_reference(keys: list[int | None]) -> None:
    """For every period at once, the counts are what a walk back over the whole sequence finds."""
    periods = periods_of(keys)
    assert [periods.rounds(p) for p in range(1, LONGEST + 1)] == [rounds_of(keys, p) for p in range(1, LONGEST + 1)]


@given(KEYS, st.integers(2, 5), st.integers(1, 3))
def test_the_shortest_period_is_that_of_the_reference(keys: list[int | None], rounds: int, start: int) -> None:
    """The shortest period that went round often enough, or none."""
    assert periods_of(keys).shortest(rounds, start) == shortest_of(keys, rounds, start)


@given(KEYS, st.lists(st.sampled_from([1, 2, 3, None]), min_size=1, max_size=4))
def test_replacing_the_newest_is_as_if_it_had_been_pushed(keys: list[int | None], tries: list[int | None]) -> None:
    """An element may be replaced any number of times; only the last one counts, also for what follows."""
    periods = periods_of([*keys, 9])
    for key in tries:
        periods.replace(key)
    plain = periods_of([*keys, tries[-1]])
    for key in (1, 2, 1):
        assert [periods.rounds(p) for p in range(1, LONGEST + 1)] == [plain.rounds(p) for p in range(1, LONGEST + 1)]
        periods.push(key)
        plain.push(key)


@given(KEYS, KEYS)
def test_saved_periods_go_on_as_before(before: list[int | None], after: list[int | None]) -> None:
    """Written and read back, the counts go on."""
    whole = periods_of([*before, *after])
    restored = msgspec.msgpack.decode(msgspec.msgpack.encode(periods_of(before)), type=Periods)
    for key in after:
        restored.push(key)
    assert [restored.rounds(p) for p in range(1, LONGEST + 1)] == [whole.rounds(p) for p in range(1, LONGEST + 1)]


@pytest.mark.parametrize(
    ("keys", "rounds", "start", "period"),
    [
        ([1, 1, 1], 3, 1, 1),
        ([1, 1], 3, 1, 0),
        ([1, 2, 1, 2, 1, 2], 3, 1, 2),
        ([1, 2, 1, 2, 1, 2, 3], 2, 1, 0),
        ([1, 1, 1, 1], 2, 2, 2),
        ([None, None, None], 2, 1, 0),
        ([1, None, 1, None, 1], 2, 1, 0),
        (list(range(LONGEST)) * 2, 2, 1, LONGEST),
        (list(range(LONGEST + 1)) * 3, 2, 1, 0),
        ([], 2, 1, 0),
    ],
)
def test_periods(keys: list[int | None], rounds: int, start: int, period: int) -> None:
    """Repeats, ping-pongs and cycles by hand; unknown elements equal nothing; too long a period is not followed."""
    assert periods_of(keys).shortest(rounds, start) == period


@pytest.mark.parametrize(("keys", "quiet"), [([], True), ([1, 2, 3], True), ([1, 2, 1], False), ([1, 1, None], True)])
def test_quiet_means_that_nothing_recurs(keys: list[int | None], quiet: bool) -> None:
    """A new or unknown element makes everything quiet."""
    assert periods_of(keys).quiet is quiet


def test_clearing_forgets_everything() -> None:
    """After clearing, the same element is new again, and others that are alive are not touched."""
    other = periods_of([1, 1])
    periods = periods_of([1, 1, 1])
    periods.clear()
    periods.push(1)
    assert (periods.quiet, periods.rounds(1), other.rounds(1)) == (True, 1, 2)
