from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.canonical import MAX_DEPTH, PROSE_KEYS, decode, encode, exact, folded, text_of
from otel_loopwatch.fingerprint import ARGUMENTS_LIMIT, Reading, read
from otel_loopwatch.model import ToolCall
from otel_loopwatch.settings import NO_POLICY, ToolPolicy


def reading(arguments: Any, policy: ToolPolicy = NO_POLICY) -> Reading:
    """A call with these arguments, read."""
    return read(ToolCall(run="r", tool="t", arguments=arguments), policy, 65_536)


EXACT = "exact"
FOLDED = "folded"
DIFFERENT = "different"

PAIRS = [
    ("key order", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}', EXACT),
    ("white space between tokens", '{"a":[1,2]}', ' { "a" : [ 1,\n2 ] } ', EXACT),
    ("text and value", '{"a": [1, "x"]}', {"a": [1, "x"]}, EXACT),
    ("NFC and NFD", {"city": "Köln"}, {"city": "Ko\u0308ln"}, EXACT),
    ("an escape", '{"city": "K\\u00f6ln"}', {"city": "Köln"}, EXACT),
    ("1 and 1.0", {"page": 1}, {"page": 1.0}, EXACT),
    ("1 and 1.0 in text", '{"page": 1}', '{"page": 1.0}', EXACT),
    ("0 and -0.0", {"x": 0}, {"x": -0.0}, EXACT),
    ("null and absent", {"a": 1, "b": None}, {"a": 1}, EXACT),
    ("null and absent, deep down", {"a": {"b": None, "c": [1]}}, {"a": {"c": [1]}}, EXACT),
    ("tuple and list", {"a": (1, 2)}, {"a": [1, 2]}, EXACT),
    ("order of a set", {"a": {1, 2, 3}}, {"a": {3, 2, 1}}, EXACT),
    ("letter case", {"q": "Tide Table"}, {"q": "tide table"}, FOLDED),
    ("letter case beyond ASCII", {"q": "ÄRGER"}, {"q": "ärger"}, FOLDED),
    ("white space inside", {"q": "tide  table "}, {"q": "tide table"}, FOLDED),
    ("compatibility characters", {"q": "ＡＢＣ １２"}, {"q": "abc 12"}, FOLDED),
    ("a quoted number", {"page": "13"}, {"page": 13}, FOLDED),
    ("an empty text", {"a": 1, "b": ""}, {"a": 1}, FOLDED),
    ("an empty list", {"a": 1, "b": []}, {"a": 1}, FOLDED),
    ("an empty map", {"a": 1, "b": {}}, {"a": 1}, FOLDED),
    ("a reason", {"a": 1, "reason": "first"}, {"a": 1, "reason": "second"}, FOLDED),
    ("a reason deep down", {"a": [{"b": 1, "thought": "x"}]}, {"a": [{"b": 1}]}, FOLDED),
    ("a reason alone", {"reason": "first"}, {"reason": "second"}, FOLDED),
    ("a reason, whatever", {"reason": "first"}, {"why": "second", "explanation": "third"}, FOLDED),
    ("notes beside what is asked", {"a": 1, "note": "first"}, {"a": 1, "note": "second"}, FOLDED),
    ("notes with a reason", {"note": "x", "reason": "first"}, {"note": "x", "reason": "second"}, FOLDED),
    ("packed into one argument", {"input": '{"a": 1, "b": "x"}'}, {"a": 1, "b": "x"}, EXACT),
    ("notes alone", {"note": "first"}, {"note": "second"}, DIFFERENT),
    ("comments alone, deep down", {"a": [{"comment": "x"}]}, {"a": [{"comment": "y"}]}, DIFFERENT),
    ("thoughts alone", {"thought": "first"}, {"thought": "second"}, DIFFERENT),
    ("a list in one argument", {"input": "[1]"}, [1], DIFFERENT),
    ("broken JSON in one argument", {"input": '{"a": '}, {"input": '{"b": '}, DIFFERENT),
    ("JSON among arguments", {"input": '{"a": 1}', "n": 1}, {"a": 1, "n": 1}, DIFFERENT),
    ("page numbers", {"q": "x", "page": 1}, {"q": "x", "page": 2}, DIFFERENT),
    ("cursors", {"cursor": "ab"}, {"cursor": "ac"}, DIFFERENT),
    ("versions", {"v": "1.10"}, {"v": "1.1"}, DIFFERENT),
    ("floats", {"x": 1.5}, {"x": 15}, DIFFERENT),
    ("targets", {"path": "a/b"}, {"path": "a/c"}, DIFFERENT),
    ("list order", {"a": [1, 2]}, {"a": [2, 1]}, DIFFERENT),
    ("nulls in a list", {"a": [None, 1]}, {"a": [1]}, DIFFERENT),
    ("booleans and numbers", {"a": True}, {"a": 1}, DIFFERENT),
    ("large integers", '{"id": 18446744073709551617}', '{"id": 18446744073709551616}', DIFFERENT),
    ("a quoted number that is too long", {"id": "1" * 20}, {"id": int("1" * 20)}, DIFFERENT),
    ("keys", {"a": 1}, {"b": 1}, DIFFERENT),
    ("bare texts", "first", "second", DIFFERENT),
    ("the last of many bytes", {"t": "x" * 70_000 + "a"}, {"t": "x" * 70_000 + "b"}, DIFFERENT),
    ("the last of many bytes of text", "x" * 70_000 + "a", "x" * 70_000 + "b", DIFFERENT),
    ("the last of many raw bytes", b"x" * 70_000 + b"a", b"x" * 70_000 + b"b", DIFFERENT),
    ("not a number and nothing", {"a": math.nan}, {}, DIFFERENT),
]


@pytest.mark.parametrize(("one", "other", "equal"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_arguments_are_equal_where_they_mean_the_same(one: Any, other: Any, equal: str) -> None:
    """Exactly, only when folded, or not at all."""
    first, second = reading(one), reading(other)
    assert (first.exact == second.exact) is (equal == EXACT)
    assert (first.folded == second.folded) is (equal in (EXACT, FOLDED))


@pytest.mark.parametrize("key", sorted(PROSE_KEYS))
def test_prose_about_a_call_is_no_part_of_it(key: str) -> None:
    """Each of the keys drops out of the folded form, and none out of the exact one."""
    with_prose, without = reading({"a": 1, key: "because"}), reading({"a": 1})
    assert (with_prose.folded, with_prose.exact == without.exact) == (without.folded, False)


def test_unknown_arguments_have_no_digest() -> None:
    """Absent is unknown; an empty object is known."""
    assert (reading(None).exact, reading(None).folded) == (None, None)
    assert reading({}).exact is not None


@pytest.mark.parametrize(
    ("policy", "one", "other", "equal"),
    [
        (ToolPolicy(volatile_keys=frozenset({"nonce"})), {"a": 1, "nonce": 2}, {"a": 1, "nonce": 3}, True),
        (ToolPolicy(volatile_keys=frozenset({"nonce"})), {"a": {"nonce": 2}}, {"a": {"nonce": 3}}, True),
        (ToolPolicy(volatile_keys=frozenset({"nonce"})), {"a": 1}, {"a": 2}, False),
        (ToolPolicy(identity_keys=frozenset({"id"})), {"id": 1, "x": 2}, {"id": 1, "x": 3}, True),
        (ToolPolicy(identity_keys=frozenset({"id"})), {"id": 1}, {"id": 2}, False),
        (ToolPolicy(identity_keys=frozenset({"id"})), "one", "two", False),
    ],
)
def test_the_user_knows_which_keys_matter(policy: ToolPolicy, one: Any, other: Any, equal: bool) -> None:
    """Volatile keys never count; where identity keys are given, nothing else does."""
    assert (reading(one, policy).exact == reading(other, policy).exact) is equal


class Nameless:
    def __repr__(self) -> str:
        raise ValueError("no name")


def cyclic() -> dict[str, Any]:
    """A map that holds itself."""
    value: dict[str, Any] = {"é": 1}
    value["self"] = value
    return value


def deep(levels: int) -> list[Any]:
    """Lists in lists."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


STRANGE = {
    "not a number": math.nan,
    "infinity": math.inf,
    "a lone surrogate": "\ud800",
    "a lone surrogate as a key": {"\ud800": "\udfff"},
    "raw bytes": b"\xff\xfe",
    "an object": object(),
    "an object without a name": {"x": Nameless()},
    "a cyclic map": cyclic(),
    "keys that are no text": {1: 2, "a": 3},
    "a huge integer": 2**80,
    "deep": deep(MAX_DEPTH * 5),
    "very deep": deep(50_000),
    "very deep text": "[" * 50_000 + "]" * 50_000,
    "deep text": '{"a":' * 300 + "null" + "}" * 300,
    "half a text": '{"a": [1, ',
    "an endless number": "1e400",
    "a number of many digits": "9" * 5_000,
    "a regular expression": re.compile("a"),
}


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize(
    "policy", [NO_POLICY, ToolPolicy(volatile_keys=frozenset({"nonce"}))], ids=["plain", "volatile"]
)
def test_strange_values_survive(value: Any, policy: ToolPolicy) -> None:
    """As arguments and as a result, whatever it is, it gets digests."""
    call = ToolCall(run="r", tool="t", arguments=value, result=value)
    found = read(call, policy, 65_536)
    assert isinstance(found.exact, int)
    assert isinstance(found.folded, int)
    assert isinstance(found.raw, int)


def test_what_cannot_be_described_equals_nothing() -> None:
    """Two values without a description are not taken for the same, not even one and itself."""
    value = {"x": Nameless()}
    assert reading(value).exact != reading(value).exact


def test_arguments_that_are_too_large_are_digested_as_they_are() -> None:
    """Beyond the limit only equal bytes are equal, and no arguments are looked into."""
    large = reading({"t": "x" * ARGUMENTS_LIMIT})
    assert large.exact == large.folded == reading({"t": "x" * ARGUMENTS_LIMIT}).exact
    assert large.arguments is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_text_and_value_have_one_canonical_form(value: Any) -> None:
    """Written out and read back, a value keeps its exact and its folded bytes."""
    canonical_value, canonical = exact(value)
    again_value, again = exact(decode(canonical))
    assert again == canonical
    assert folded(again_value, again) == folded(canonical_value, canonical)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text("abcdé_ ", max_size=6), JSON, max_size=5))
def test_key_order_never_matters(value: dict[str, Any]) -> None:
    """A map and its reverse are one."""
    reverse = dict(reversed(list(value.items())))
    assert exact(value)[1] == exact(reverse)[1]


@pytest.mark.parametrize(
    ("value", "text"),
    [("as it is", "as it is"), (b"bytes", "bytes"), ({"b": 1, "a": [True]}, '{"a":[true],"b":1}'), (5, "5")],
)
def test_a_result_as_text(value: Any, text: str) -> None:
    """Text stays; everything else is canonical JSON."""
    assert text_of(value) == text


def test_encoding_is_canonical() -> None:
    """Keys are sorted and nothing is put between tokens."""
    assert encode({"b": [1, None], "a": "é"}) == '{"a":"é","b":[1,null]}'.encode()
