from __future__ import annotations

import pytest
from engine.test_masking import OTHER, SAME

from otel_loopwatch.fingerprint import read
from otel_loopwatch.model import ToolCall
from otel_loopwatch.results import KEPT_CHARACTERS, KEPT_IN_ALL, REMEMBERED, Results
from otel_loopwatch.settings import NO_POLICY

LIMIT = 65_536
LONG = "The harbour has two lamps and a bench. " * 40


def identities(*texts: str | None, limit: int = LIMIT) -> list[int | None]:
    """Identities of results that come one after the other."""
    results = Results()
    readings = (read(ToolCall(run="r", tool="t", result=text), NO_POLICY, limit) for text in texts)
    return [results.identity(reading, call) for call, reading in enumerate(readings, 1)]


ALONE = {name: pair for name, pair in SAME.items() if name.startswith("JSON")}
"""JSON is read as such only where it stands alone."""
AMONG = {name: pair for name, pair in SAME.items() if name not in ALONE}


@pytest.mark.parametrize(("one", "other"), ALONE.values(), ids=ALONE)
def test_volatile_values_of_json_make_no_difference(one: str, other: str) -> None:
    """Values of keys that name a clock or an id."""
    assert len(set(identities(one, other, one))) == 1


@pytest.mark.parametrize("around", [("", ""), (LONG, ""), ("", " " + LONG), (LONG, " " + LONG)])
@pytest.mark.parametrize(("one", "other"), AMONG.values(), ids=AMONG)
def test_volatile_parts_make_no_difference(one: str, other: str, around: tuple[str, str]) -> None:
    """Wherever they stand in a long text, and in whatever order the results come."""
    before, after = around
    found = identities(before + one + after, before + other + after, before + one + after)
    assert len(set(found)) == 1


@pytest.mark.parametrize("around", [("", ""), (LONG, " " + LONG)])
@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_differences_that_mean_something_stay(one: str, other: str, around: tuple[str, str]) -> None:
    """The other result has an identity of its own, which is the same each time."""
    before, after = around
    found = identities(*(before + text + after for text in (one, other, one, other)))
    assert found[0] != found[1]
    assert found[:2] == found[2:]


def test_two_changes_at_once() -> None:
    """A clock and a count that change together are a difference, and so are they each time."""
    found = identities(*(f"10:00:0{n} {n} of 9 files" for n in range(5)))
    assert len(set(found)) == 5


def test_unknown_results_have_no_identity() -> None:
    """They equal nothing, not even each other."""
    assert identities(None, None) == [None, None]


def test_large_results_are_equal_to_the_byte_only() -> None:
    """Beyond the limit nothing is masked."""
    large = "x" * 200
    assert len(set(identities(large + "10:00:01", large + "10:00:02", limit=100))) == 2
    assert len(set(identities(large, large, limit=100))) == 1


def test_texts_that_are_too_long_are_not_kept() -> None:
    """They are equal to the byte only, and cost no memory."""
    text = "x " * KEPT_CHARACTERS
    assert len(set(identities(text + "10:00:01", text + "10:00:02"))) == 2
    assert len(set(identities(text, text))) == 1


def test_what_is_kept_is_bounded() -> None:
    """Neither the number of shapes nor their characters grow without end; the oldest go first."""
    results = Results()
    for number in range(4 * REMEMBERED):
        text = chr(0x3041 + number) * (KEPT_CHARACTERS // 3)
        results.identity(read(ToolCall(run="r", tool="t", result=text), NO_POLICY, 10 * LIMIT), number)
        assert results.kept == sum(len(shape.text) for shape in results.shapes.values()) <= KEPT_IN_ALL
    for number in range(4 * REMEMBERED):
        results.identity(read(ToolCall(run="r", tool="t", result=chr(0x4E00 + number)), NO_POLICY, LIMIT), number)
    assert len(results.shapes) == REMEMBERED


def test_dropped_texts_cost_one_comparison() -> None:
    """After saving, the first result of a shape stands for itself; the next ones are compared with it."""
    results = Results()
    clock = [
        read(ToolCall(run="r", tool="t", result=f"quiet since 10:00:0{n} or so"), NO_POLICY, LIMIT) for n in range(4)
    ]
    first = results.identity(clock[0], 1)
    results.drop_texts()
    later = [results.identity(item, call) for call, item in enumerate(clock[1:], 2)]
    assert first not in later
    assert len(set(later)) == 1
