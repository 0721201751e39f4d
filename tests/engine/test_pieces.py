from __future__ import annotations

from collections.abc import Callable

import pytest
from engine.test_masking import OTHER, SAME
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch import pieces as module
from otel_loopwatch.masking import mask, without_ids
from otel_loopwatch.pieces import PIECE, alike, common_head, pieces

MASKED = [text for pair in (*SAME.values(), *OTHER.values()) for text in pair]
SIGNS = ' |\n|, |,|; |{|}|(|)| (|  |\t|\'|:|: |-|/|_|.|~|é|٣|秒|"|"|, "| "'.split("|")
WORDS = "the kettle|on steps|zoo|hello|Mon|Jan|january may|deadbeef1|abc12def|pid|request|id|5|12|  7d|3 h|ms".split(
    "|"
)
VALUES = '"ts": "|\'took\': \'|"request_id" : "|"note": "|"ts":|don\'t|4.5 s|12:30:01|/abcdef|k3Jx9_Qz-11'.split("|")
FRAGMENTS = [*MASKED, *SIGNS, *WORDS, *VALUES]
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=30)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many cuts in short texts."""
    for name, size in (("PIECE", 4), ("STEP", 2), ("BACK", 40)):
        monkeypatch.setattr(module, name, size)


@pytest.mark.parametrize("masked", [mask, without_ids])
@given(parts=texts)
def test_to_mask_the_pieces_is_to_mask_the_text(masked: Callable[[str], str], parts: list[str]) -> None:
    """Wherever it is cut."""
    text = "".join(parts)
    cut = list(pieces(text))
    assert "".join(cut) == text
    assert "".join(map(masked, cut)) == masked(text)


@pytest.mark.parametrize("masked", [mask, without_ids])
@given(parts=texts, changes=st.dictionaries(st.integers(0, 29), st.sampled_from(FRAGMENTS), max_size=3))
def test_alike_is_what_is_equal_when_masked(
    masked: Callable[[str], str], parts: list[str], changes: dict[int, str]
) -> None:
    """However many parts differ, and wherever they stand."""
    one, other = "".join(parts), "".join(changes.get(place, part) for place, part in enumerate(parts))
    assert alike(one, other, masked) is (masked(one) == masked(other))
    assert alike(other, one, masked) is (masked(one) == masked(other))


LONG = "the harbour has two lamps and one bench, " * 50


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (f"{LONG}10:00:01 {LONG}", f"{LONG}10:00:09 {LONG}", True),
        (f"{LONG}10:00:01 {LONG}", f"{LONG}9 {LONG}", False),
        (f"one lamp {LONG}", f"two lamps {LONG}", False),
        (LONG, LONG, True),
    ],
)
def test_only_what_differs_is_masked(one: str, other: str, same: bool) -> None:
    """A few words around it, of texts of thousands of characters."""
    seen: list[str] = []

    def masked(text: str) -> str:
        seen.append(text)
        return mask(text)

    assert alike(one, other, masked) is same
    assert sum(map(len, seen)) < 200


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("kettle goes", ["kettle ", "goes"]),
        ("request deadbeef1", ["request deadbeef1"]),
        ("kettle(s)", ["kettle(", "s)"]),
        ("3 lamps", ["3 lamps"]),
        ('{"page":12,"note": "a"}', ['{"page":12,', '"note": "a"}']),
        ('{"ts": "Mon; the first"}', ['{"ts": "Mon; the first"}']),
        ('{"note": "Mon; the first"}', ['{"note": "Mon;', ' the first"}']),
        ('said: "Mon; the first" then', ['said: "Mon; the first" then']),
        ("'ts': 'Mon; the first (and", ["'ts': 'Mon; the first (and"]),
        ('{"ts": "Mon; the first}', ['{"ts": "Mon; the first}']),
    ],
)
def test_where_a_text_is_cut(text: str, cut: list[str]) -> None:
    """Between words, behind signs, and never within a value that may be masked as a whole."""
    assert list(pieces(text)) == cut


@pytest.mark.parametrize(("one", "other", "length"), [("", "a", 0), ("abc", "abd", 2), ("ab", "abc", 2), ("x", "y", 0)])
def test_common_beginning(one: str, other: str, length: int) -> None:
    """As long as both go on alike."""
    assert common_head(one, other) == common_head(other, one) == length


def test_pieces_have_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least so many characters, and hardly more where words are short."""
    monkeypatch.setattr(module, "PIECE", PIECE)
    sizes = [len(piece) for piece in pieces(LONG)]
    assert all(PIECE <= size < PIECE + 30 for size in sizes[:-1])
