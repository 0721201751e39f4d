from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.records import SAME_WORDS
from otel_loopwatch.words import MAX_VOCABULARY, MAX_WORDS, Vocabulary, words_of


def vocabulary(requests: list[Any]) -> Vocabulary:
    """The words of some requests."""
    found = Vocabulary()
    for request in requests:
        found.add(words_of(request))
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"q": "Tide Table"}, {"q": "table, tide!"}),
        ({"q": "red lamps"}, {"q": "lamp red"}),
        ({"q": ["tide", {"of": "may"}]}, {"a": "tide", "b": "may"}),
        ({"n": 4}, {"n": "4"}),
        ({"q": "tide", "deep": True, "x": None}, {"q": "tide"}),
        ({"path": "src/Lamp.py"}, {"path": "src/lamp.py"}),
        (5, "5"),
    ],
)
def test_words_are_the_same(one: Any, other: Any) -> None:
    """Case, order, punctuation, plurals, keys and flags make no difference."""
    assert words_of(one) == words_of(other) != frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"q": "ann@lamps.example"}, {"q": "bob@lamps.example"}),
        ({"path": "src/a/lamp.py"}, {"path": "src/b/lamp.py"}),
        ({"q": "glass"}, {"q": "glas"}),
    ],
)
def test_words_are_others(one: Any, other: Any) -> None:
    """An identifier without blanks is one word, and a word that only looks like a plural is none."""
    assert words_of(one).isdisjoint(words_of(other))


def test_languages_without_blanks_have_pairs() -> None:
    """Two characters next to each other make a word."""
    assert len(words_of({"q": "返品の条件"})) == 4
    assert words_of({"q": "返品条件"}) & words_of({"q": "条件と返品"})


def test_words_are_bounded() -> None:
    """Neither long texts, nor deep values, nor many requests make more than the limits."""
    deep: Any = "bottom"
    for _ in range(40):
        deep = [deep]
    assert words_of(deep) == frozenset()
    assert len(words_of({"q": " ".join(f"w{n}" for n in range(500))})) == MAX_WORDS
    many = vocabulary([f"w{n}" for n in range(3 * MAX_VOCABULARY)])
    assert len(many.counts) == MAX_VOCABULARY
    assert many.requests == 3 * MAX_VOCABULARY


@pytest.mark.parametrize(
    ("requests", "reworded"),
    [
        (["tide table may", "table of tides", "may tide", "may table"], True),
        (["tide table", "table tide", "tides table"], True),
        (["weather in Oslo", "weather in Lima", "weather in Bern", "weather in Riga"], False),
        (["ann", "bob", "carla", "dmitri"], False),
        (["TODO src/a", "TODO src/b", "TODO src/c"], False),
        (["lamp one north pier", "lamp two south pier", "lamp one south quay", "lamp two north quay"], True),
    ],
)
def test_a_rewording_uses_its_words_again(requests: list[str], reworded: bool) -> None:
    """Words that all requests share say nothing; of the others it counts how many come back."""
    assert (vocabulary(requests).recurrence() >= SAME_WORDS) is reworded


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5), max_size=8))
def test_recurrence_is_a_share(requests: list[list[str]]) -> None:
    """It lies between 0 and 1, whatever was asked."""
    assert 0.0 <= vocabulary([" ".join(words) for words in requests]).recurrence() <= 1.0
