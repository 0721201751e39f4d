from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.sources.scalars import identity, mapping, nanoseconds, objects, sequence

NS = 1_700_000_000_123_000_000


@pytest.mark.parametrize(
    "value",
    [
        NS,
        str(NS),
        NS // 1000,
        NS // 1_000_000,
        NS / 1e9,
        "2023-11-14T22:13:20.123Z",
        "2023-11-14 22:13:20.123000",
        "2023-11-14T22:13:20,123+00:00",
        "2023-11-15T00:13:20.123+0200",
        "2023-11-14T19:13:20.123000000-03:00",
        "2023-11-14 22:13:20.123 UTC",
        [NS // 10**9, NS % 10**9],
    ],
    ids=repr,
)
def test_a_time_is_read_in_any_spelling(value: Any) -> None:
    """Numbers of any unit, ISO 8601 with or without zone, and pairs."""
    assert nanoseconds(value) == NS


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "soon",
        "2023-13-45T99:99:99",
        -5,
        1 << 70,
        float("nan"),
        float("inf"),
        [1],
        [1, "a"],
        {},
        "9" * 30,
    ],
)
def test_what_is_no_time_is_zero(value: Any) -> None:
    """Also numbers out of range."""
    assert nanoseconds(value) == 0


@pytest.mark.parametrize(
    ("value", "size", "expected"),
    [
        ("0000000000000abc", 8, 0xABC),
        ("0xabc", 8, 0xABC),
        ("abc", 16, 0xABC),
        ("AAAAAAAACrw=", 8, 0xABC),
        ("00000000-0000-0000-0000-000000000abc", 16, 0xABC),
        ("00000000-0000-0001-0000-000000000abc", 8, 0xABC),
        (0xABC, 8, 0xABC),
        ("", 8, 0),
        (None, 8, 0),
        (True, 8, 0),
        ([], 16, 0),
    ],
    ids=repr,
)
def test_an_id_is_read_in_any_spelling(value: Any, size: int, expected: int) -> None:
    """Hex, base64, UUIDs and numbers."""
    assert identity(value, size) == expected


@given(st.text() | st.integers(), st.sampled_from([8, 16]))
def test_any_id_fits_and_stays_the_same(value: str | int, size: int) -> None:
    """Whatever a tool calls its traces, one name gives one id."""
    assert identity(value, size) == identity(value, size)
    assert 0 <= identity(value, size) < 1 << 8 * size


@pytest.mark.parametrize("value", ['{"a": 1}', ' {"a": 1}', {"a": 1}])
def test_json_within_json_is_an_object(value: Any) -> None:
    """Exporters turn structures into text."""
    assert mapping(value) == {"a": 1}


@pytest.mark.parametrize("value", ["{broken", "[1]", None, 5, "{" * 10_000, "\ud800{"])
def test_what_is_no_object_is_an_empty_one(value: Any) -> None:
    """Nothing raises."""
    assert mapping(value) == {}


@pytest.mark.parametrize(("value", "expected"), [("[1, {}]", [{}]), ([{}, 5], [{}]), ("{}", []), (None, [])])
def test_objects_of_a_list(value: Any, expected: list[Any]) -> None:
    """Also of one that is text; what is none is left out."""
    assert objects(value) == expected
    assert len(sequence(value)) >= len(expected)
