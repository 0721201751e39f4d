"""Our own words within an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch import notes


@given(st.text().filter(lambda text: notes.BEGIN not in text), st.text().filter(lambda text: notes.END not in text))
def test_what_the_tool_said_comes_back(said: str, advice: str) -> None:
    """But for blanks at its end."""
    assert notes.without(notes.added(said, notes.nudge(advice))) == said.rstrip()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing of ours", "nothing of ours"),
        (json.dumps({"content": notes.added("0 results", notes.nudge("Stop."))}), '{"content": "0 results"}'),
        ("0 results\n\n[loopwatch] It was cut her", "0 results"),
        (notes.added(notes.added("a", notes.nudge("one")), notes.nudge("two")), "a"),
        (notes.refusal("No."), ""),
    ],
)
def test_a_note_is_taken_out_wherever_it_stands(text: str, left: str) -> None:
    """Also in JSON, cut, or more than once."""
    assert notes.without(text) == left


def test_only_a_refusal_says_that_nothing_ran() -> None:
    """A nudge comes with a result; a farewell is the run's last word."""
    assert notes.is_refusal(notes.refusal("No."))
    assert not notes.is_refusal(notes.nudge("No."))
    assert not notes.is_refusal(notes.farewell("No."))
