from __future__ import annotations

import pytest
from engine.test_masking import OTHER, SAME

from otel_loopwatch import results as results_module
from otel_loopwatch.digests import Digests
from otel_loopwatch.fingerprint import read
from otel_loopwatch.masking import mask
from otel_loopwatch.model import ToolCall
from otel_loopwatch.results import KEPT_CHARACTERS, KEPT_IN_ALL, LATEST, LATEST_CHARACTERS, REMEMBERED, Results
from otel_loopwatch.settings import NO_POLICY

LIMIT = 65_536
LONG = "The harbour has two lamps and a bench. " * 40


def identities(*texts: str | None, limit: int = LIMIT) -> list[int | None]:
    """Identities of results that come one after the other."""
    results = Results()
    readings = (read(ToolCall(run="r", tool="t", result=text), NO_POLICY, limit) for text in texts)
    return [results.identity(reading, call) for call, reading in enumerate(readings, 1)]


def test_digests_that_stand_for_results_are_compared_whole() -> None:
    """Of a file with ``content="digest"`` nothing is volatile: another digest is another result."""
    digests = Digests()
    one, other = (digests.of(f"Page {number} tells of lamp {number * 7}") for number in range(2))
    first, second, third = identities(one, other, one)
    assert first == third != second


ALONE = {name: pair for name, pair in SAME.items() if name.startswith(("JSON", "ids in capitals"))}
"""JSON is read as such only where it stands alone, and ids of letters beyond F are looked for in short texts only."""
AMONG = {name: pair for name, pair in SAME.items() if name not in ALONE}


@pytest.mark.parametrize(("one", "other"), ALONE.values(), ids=ALONE)
def test_what_is_volatile_where_it_stands_alone_makes_no_difference(one: str, other: str) -> None:
    """Values of keys that name a clock or an id, and ids in capitals."""
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


NUMBERED = "{} | the lamp on the north pier is broken"


@pytest.mark.parametrize(
    ("numbers", "distinct"),
    [
        ([1, 2, 3, 4], 1),
        ([7, 8, 9, 10], 1),
        ([1, 3, 5, 7], 4),
        ([4, 3, 2, 1], 4),
        ([5, 5, 5, 5], 1),
        ([1, 2, 9, 10], 2),
    ],
    ids=["counts calls", "from anywhere on", "in twos", "counts down", "always the same", "jumps once"],
)
def test_a_number_in_front_may_count_calls(numbers: list[int], distinct: int) -> None:
    """As long as it keeps step with them it is a label; otherwise it is what the result says."""
    assert len(set(identities(*map(NUMBERED.format, numbers)))) == distinct


def test_a_number_counts_the_calls_of_a_run() -> None:
    """Calls without a number in between do not put it out of step."""
    found = identities(NUMBERED.format(1), "quiet", NUMBERED.format(3), "quiet", "quiet", NUMBERED.format(6))
    assert found[0] == found[2] == found[5]


@pytest.mark.parametrize(
    ("texts", "distinct"),
    [
        (["job ab1c2d3e is on", "job zz9y8x7w is on"], 1),
        (["job ab1c2d3e is on", "job zz9y8x7w is off"], 2),
        (["job ab1c2d3e is on", "job zz9y8x7w is on", "job k3jx9qz2 is on"], 1),
        (["x" * LATEST_CHARACTERS + " ab1c2d3e", "x" * LATEST_CHARACTERS + " zz9y8x7w"], 2),
        (["one lamp", "one lamp"], 1),
    ],
)
def test_results_of_one_request_may_differ_in_ids(texts: list[str], distinct: int) -> None:
    """What the same request brought last stands for what differs from it in ids only."""
    results = Results()
    found = [results.but_for_ids(hash(text), 1, text) for text in texts]
    assert len({identity for identity, _ in found}) == distinct
    assert found[-1][1] is (distinct == 1 and texts[0] != texts[-1])


def test_latest_results_are_few() -> None:
    """Those of the requests made longest ago go first, and after saving none is left."""
    results = Results()
    for request in range(3 * LATEST):
        results.but_for_ids(request, request, "one lamp")
    assert list(results.latest) == [2 * LATEST + n for n in range(LATEST)]
    results.drop_texts()
    assert results.latest == {}


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


def test_the_first_of_a_shape_is_masked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of one template differ from it in one place: the first is masked there once, each of the others once."""
    masked: list[str] = []
    monkeypatch.setattr(results_module, "mask", lambda text: masked.append(text) or mask(text))
    assert len(set(identities(*(f"{LONG} row {number} of 9 {LONG}" for number in range(4))))) == 4
    assert len(masked) == 4


def test_long_differences_are_not_remembered() -> None:
    """A part that differs is kept with its shape up to a length, and gone with the text when state is saved."""
    results = Results()
    for first, other in (("row 1 of 9", "row 2 of 9"), (f"1 {LONG * 9} 1", f"2 {LONG * 9} 2")):
        for number, text in enumerate((first, other)):
            results.identity(read(ToolCall(run="r", tool="t", result=text), NO_POLICY, LIMIT), number)
    assert [shape.part for shape in results.shapes.values()] == ["row 1 of ", ""]
    results.drop_texts()
    assert all((shape.text, shape.part, shape.place) == ("", "", None) for shape in results.shapes.values())
