from __future__ import annotations

import pytest

from otel_loopwatch.numbers import FEWEST, MOST, Trend


def trend(*texts: str) -> Trend:
    """Where the numbers of some results went."""
    found = Trend()
    for text in texts:
        found.add(text)
    return found


@pytest.mark.parametrize(
    ("texts", "progress", "noise"),
    [
        ([f"{n}0% done" for n in range(6)], True, False),
        ([f"{9 - n} jobs left" for n in range(6)], True, False),
        ([f"{n % 2} of 9, load {n}.5" for n in range(6)], True, False),
        ([f"load {n % 2}.5" for n in range(6)], False, True),
        ([f"load {n % 2}.5" for n in range(FEWEST - 1)], False, False),
        ([f"job {n % 2}a7f is on" for n in range(6)], False, True),
        ([f"还剩{9 - n}个任务" for n in range(6)], True, False),
        (["42 lamps"] * 6, False, True),
        (["no lamps"] * 6, False, True),
        ([f"{n}e5 and more" for n in range(6)], False, True),
        ([f"version 1.{n}.2" for n in range(6)], False, True),
        (["1 of 9"] * 5 + ["2 of 9"], True, False),
        (["1 lamp", "2 lamps", "2 lamps, 1 pier", "2 lamps, 1 pier"], False, False),
        ([], False, False),
    ],
)
def test_numbers_go_somewhere_or_nowhere(texts: list[str], progress: bool, noise: bool) -> None:
    """One that only rises or falls is progress; up and down, ids and versions are none; a few results tell nothing."""
    found = trend(*texts)
    assert (found.progress, found.noise) == (progress, noise)


def test_other_numbers_begin_anew() -> None:
    """What the numbers were before they were so many says nothing."""
    found = trend("1 lamp", "2 lamps", "2 lamps, 1 pier")
    assert (found.seen, found.progress, found.last) == (1, False, [2.0, 1.0])


def test_only_so_many_numbers_are_looked_at() -> None:
    """Of a long result the first ones."""
    long = " ".join("5" for _ in range(MOST))
    assert len(trend(f"{long} 6 7 8").last) == MOST
    assert trend(f"{long} 6", f"{long} 7").progress is False
