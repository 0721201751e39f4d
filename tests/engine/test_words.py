from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.records import SAME_WORDS
from otel_loopwatch.words import MAX_VOCABULARY, MAX_WORDS, Vocabulary, Words, words_of, words_of_request

NONE = Words(frozenset(), frozenset())


def vocabulary(requests: list[Any]) -> Vocabulary:
    """The words of some requests."""
    found = Vocabulary()
    for request in requests:
        found.add(words_of(request))
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"q": "Tide Table, today"}, {"q": "table, tide today!"}),
        ({"q": "three red lamps"}, {"q": "lamp three red"}),
        ({"q": ["tide", {"of": "may"}]}, {"a": "tide", "b": "may"}),
        ({"q": "is the lamp configured"}, {"q": "the lamp configuration is"}),
        ({"key": "retry_backoff"}, {"key": "backoffRetry"}),
        ({"key": "retry-backoff"}, {"key": "RETRY.BACKOFF"}),
        ({"who": "Ann Lee"}, {"who": "lee ann"}),
        ({"tel": "030 123 4567"}, {"tel": "030-123-4567"}),
        ({"policy": "AB-1234.5"}, {"policy": "ab12345"}),
        ({"q": "tide", "limit": 5}, {"q": "tide", "limit": 50}),
        ({"q": "tide", "top_k": 5, "timeout_ms": 10}, {"q": "tide"}),
        ({"q": "tide", "order_by": "port", "direction": "desc"}, {"q": "tide"}),
        ({"q": "返品の条件と期限"}, {"q": "返品の 条件と、期限"}),
        ({"at": 4}, {"at": "4"}),
        ({"q": "tide", "deep": True, "x": None}, {"q": "tide"}),
        ({"path": "src/Lamp.py"}, {"path": "src/lamp.py"}),
        (5, "5"),
    ],
)
def test_words_are_the_same(one: Any, other: Any) -> None:
    """Case, order, punctuation, plurals, spelling, keys, amounts and flags make no difference."""
    assert words_of(one) == words_of(other) != NONE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"q": "ann@lamps.example"}, {"q": "bob@lamps.example"}),
        ({"path": "src/a/lamp.py"}, {"path": "src/b/lamp.py"}),
        ({"q": "glass"}, {"q": "glas"}),
        ({"at": 4}, {"at": 5}),
        ({"tel": "030 123 4567"}, {"tel": "030 123 4568"}),
    ],
)
def test_words_are_others(one: Any, other: Any) -> None:
    """An identifier without blanks is one word, and a word that only looks like a plural is none."""
    first, second = words_of(one), words_of(other)
    assert NONE not in (first, second)
    assert first.text.isdisjoint(second.text)
    assert first.atoms.isdisjoint(second.atoms)


@pytest.mark.parametrize(
    ("arguments", "paged"),
    [({"page": 2}, True), ({"q": "tide", "offset": 20}, True), ({"cursor": "x"}, True), ({"q": "page"}, False)],
)
def test_a_request_for_one_part_of_many(arguments: Any, paged: bool) -> None:
    """Pages, offsets and cursors say which part is wanted, and are no words."""
    found = words_of(arguments)
    assert found.paged is paged
    assert found[:2] == words_of({"q": arguments["q"]} if "q" in arguments else {})[:2]


def test_languages_without_blanks_have_pairs() -> None:
    """Two characters next to each other make a word."""
    assert len(words_of({"q": "返品の条件と期限"}).text) == 7
    assert words_of({"q": "返品条件と期限"}).text & words_of({"q": "期限と返品条件"}).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ตารางน้ำขึ้นน้ำลง", "น้ำขึ้นน้ำลงวันนี้"),
        ("한국어 조석표 부두", "부두 조석표 한국어"),
        ("返品条件の期限です", "期限の返品条件です"),
        ("退货政策的具体条件", "具体的退货政策条件"),
    ],
    ids=["Thai", "Korean", "Japanese", "Chinese"],
)
def test_words_come_back_in_any_script(one: str, other: str) -> None:
    """Half of the pairs of characters and more are there again."""
    first, second = words_of(one).text, words_of(other).text
    assert len(first & second) >= len(first) / 2


@pytest.mark.parametrize("name", ["東京", "서울시", "กทม"])
def test_a_short_text_without_blanks_is_a_name(name: str) -> None:
    """It is one thing, whole."""
    found = words_of({"city": name})
    assert (len(found.text), len(found.atoms)) == (0, 1)


def test_words_are_bounded() -> None:
    """Neither long texts, nor deep values, nor many requests make more than the limits."""
    deep: Any = "bottom"
    for _ in range(40):
        deep = [deep]
    assert words_of(deep) == NONE
    assert len(words_of({"q": " ".join(f"w{n}" for n in range(500))}).text) == MAX_WORDS
    assert len(words_of([f"w{n}" for n in range(500)]).atoms) == MAX_WORDS
    many = vocabulary([f"w{n}" for n in range(3 * MAX_VOCABULARY)])
    assert len(many.atoms) == MAX_VOCABULARY
    assert many.requests == 3 * MAX_VOCABULARY


@pytest.mark.parametrize(
    ("requests", "reworded"),
    [
        (["tide table may", "table of tides", "may tide", "may table"], True),
        (["tide table", "table tide", "tides table"], True),
        (["weather in Oslo", "weather in Lima", "weather in Bern", "weather in Riga"], False),
        (["ann", "bob", "carla", "dmitri"], False),
        (["TODO src/a", "TODO src/b", "TODO src/c"], False),
        ([{"city": c, "day": d} for c in ("Oslo", "Lima", "Bern") for d in ("2031-05-01", "2031-05-02")], False),
        ([{"key": key} for key in ("retry_backoff", "backoffRetry", "retry.backoff")], True),
        ([{"q": "tide table", "page": n} for n in range(4)], True),
        ([{"q": "tide table", "limit": n} for n in range(4)], True),
        ([{"page": n} for n in range(4)], True),
        ([{"n": n} for n in range(4)], False),
        ([], False),
        (["lamp one north pier", "lamp two south pier", "lamp one south quay", "lamp two north quay"], True),
    ],
)
def test_a_rewording_uses_its_words_again(requests: list[Any], reworded: bool) -> None:
    """Words that all requests share say nothing; of the others it counts how many come back."""
    assert (vocabulary(requests).recurrence() >= SAME_WORDS) is reworded


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5), max_size=8))
def test_recurrence_is_a_share(requests: list[list[str]]) -> None:
    """It lies between 0 and 1, whatever was asked."""
    assert 0.0 <= vocabulary([" ".join(words) for words in requests]).recurrence() <= 1.0


def test_words_are_worked_out_once_for_the_same_request() -> None:
    """Told by the digest of its arguments; without one, they are worked out each time."""
    arguments = {"query": "where is the kettle now"}
    assert words_of_request(arguments, 7) is words_of_request(arguments, 7)
    assert words_of_request(arguments, None) is not words_of_request(arguments, None)
    assert words_of_request(arguments, 7) == words_of_request(arguments, None) == words_of(arguments)
