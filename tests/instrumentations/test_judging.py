"""What is said of a scenario that was played."""

from typing import Any

import pytest
from judging import complaints, same_signals
from scenarios import LOOP_SIGNALS

SEEN: dict[str, Any] = {
    "scenario": "looping",
    "signals": [{"signal": signal} for signal in LOOP_SIGNALS],
    "calls": {"get_order": 1, "search_docs": 8},
    "ran": {"get_order": 1, "search_docs": 8},
    "marked_before": {"calls": 9, "loops": 3},
    "marked_after": {"calls": 9, "loops": 3},
    "failures": {},
    "error": None,
}


def test_nothing_is_wrong_where_all_is_as_it_must_be() -> None:
    """Signals, counts, marks and no failure: no complaint."""
    assert complaints(SEEN, {}) == []


@pytest.mark.parametrize(
    ("differs", "said"),
    [
        ({"signals": []}, "signalled nothing instead of"),
        ({"calls": {"get_order": 1, "search_docs": 16}}, "counted"),
        ({"ran": {}}, "the tools ran"),
        ({"marked_after": {"calls": 9, "loops": 0}}, "exporters differ"),
        (
            {"marked_before": {"calls": 9, "loops": 0}, "marked_after": {"calls": 9, "loops": 0}},
            "no exported span carries the loop",
        ),
        ({"failures": {"TypeError": 1}}, "failures inside"),
        ({"error": "KeyError: x"}, "raised KeyError: x"),
        ({"limits": ["max_turns"]}, "runs ended by max_turns instead of nothing"),
        ({"scenario": "uncaught"}, "raised nothing"),
    ],
)
def test_what_is_wrong_is_said(differs: dict[str, Any], said: str) -> None:
    """Each fault has its words."""
    wrong = complaints({**SEEN, **differs}, {})
    assert any(phrase.startswith(said) for phrase in wrong), wrong


def test_a_mark_without_a_signal_is_wrong() -> None:
    """A healthy run has no marked span."""
    calls = {"get_order": 2, "search_docs": 2, "track_parcel": 4}
    healthy = {**SEEN, "scenario": "healthy", "signals": [], "calls": calls, "ran": calls}
    assert complaints(healthy, {}) == ["a span carries a loop nobody signalled"]


def test_a_row_may_expect_something_else() -> None:
    """What a row writes down takes the place of what the scenario says."""
    seen = {**SEEN, "signals": [{"signal": "identical warning search_docs 9"}], "calls": {}}
    assert complaints(seen, {"signals": ["identical warning search_docs 8-9"], "calls": {}}) == []


def test_a_package_may_end_a_run_by_itself() -> None:
    """A row says how often the tools run then, and that it ends with an error."""
    seen = {**SEEN, "calls": {}, "ran": {"search_docs": 5}, "error": "Stopped: 5 equal calls"}
    assert complaints(seen, {"calls": {}, "ran": {"search_docs": 5}, "raises": True}) == []


def test_of_spans_read_from_a_file_no_exporter_is_judged() -> None:
    """They passed no processor, so nothing can be on them; signals and counts are judged all the same."""
    replayed = {key: value for key, value in SEEN.items() if not key.startswith("marked")} | {"replayed": True}
    assert complaints(replayed, {}) == []
    assert complaints({**replayed, "calls": {}}, {}) != []


@pytest.mark.parametrize(
    ("seen", "wanted", "same"),
    [
        (["drift warning find 5"], ["drift warning find 5"], True),
        (["drift warning find 5"], ["drift warning find 4-6"], True),
        (["drift warning find 7"], ["drift warning find 4-6"], False),
        (["drift warning read 5"], ["drift warning find 5"], False),
        (["drift warning find 5"], [], False),
        ([], ["drift warning find 5"], False),
        ([], ["? drift warning find 5"], True),
        (["drift warning find 5"], ["? identical warning find 3", "drift warning find 5"], True),
        (["drift warning find 6"], ["? drift warning find 5"], False),
    ],
)
def test_signals_are_compared_line_by_line(seen: list[str], wanted: list[str], same: bool) -> None:
    """Kind, level, tool and call; a range of calls; lines that may lack."""
    assert same_signals(seen, wanted) is same


@pytest.mark.parametrize(
    ("limits", "wanted", "right"),
    [
        (["max_turns"], "max_turns", True),
        ([], "", True),
        ([], "max_turns", False),
        (["max_steps"], "max_turns", False),
        (["max_turns"] * 2, "max_turns", False),
        (["max_turns"], "? max_turns", True),
        ([], "? max_turns", True),
    ],
)
def test_the_limit_that_ended_the_run_must_be_seen_once(limits: list[str], wanted: str, right: bool) -> None:
    """Unless a row says that it may lack."""
    calls = {"get_order": 2, "search_docs": 2}
    limited = {**SEEN, "scenario": "limited", "signals": [], "calls": calls, "ran": calls, "limits": limits}
    unmarked = {"calls": 4, "loops": 0}
    limited |= {"error": "MaxTurns: 4", "marked_before": unmarked, "marked_after": unmarked}
    assert (complaints(limited, {"limit": wanted}) == []) is right
