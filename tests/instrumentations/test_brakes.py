"""What must be seen where an adapter is in the way of the tools, and the model that reads what it is told."""

from __future__ import annotations

from typing import Any

import pytest
from brakes import SCENARIOS, Reader, complaints
from scenarios import ANSWER, LOOP, SEARCH
from stop import adapters, examples
from stop import complaints as lines

from otel_loopwatch import notes

ADVICE = notes.farewell("search_docs gave the same result to the same call 3 times in a row.")


def judged(name: str, **seen: Any) -> list[str]:
    """Complaints about a run that went as the scenario says, but for ``seen``."""
    scenario = SCENARIOS[name]
    model = Reader("model", scenario.steps, scenario.recovers)
    model.refusals = seen.pop("refusals", scenario.refused)
    model.notes = seen.pop("notes", 0)
    usual: dict[str, Any] = {
        "answer": ADVICE if scenario.halts else ANSWER,
        "raised": "",
        "ran": {SEARCH.tool: scenario.searches},
        "counted": {"loopwatch.run.halts": int(scenario.halts)},
    }
    return complaints(scenario, model=model, **{**usual, **seen})


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_wrong_where_all_is_as_it_must_be(name: str) -> None:
    """Each scenario can be passed."""
    assert judged(name) == []


@pytest.mark.parametrize(
    ("name", "seen", "said"),
    [
        ("halted", {"ran": {SEARCH.tool: 4}}, "the search ran 4 times instead of 3"),
        ("blocked", {"refusals": 0}, "the model read 0 refusals instead of 2"),
        ("halted", {"answer": "", "raised": "Error: stopped"}, "the end does not carry the advice: 'Error: stopped'"),
        ("nudged", {"answer": "", "raised": "KeyError: x"}, "it did not end with its answer: 'KeyError: x'"),
        ("healthy", {"notes": 1}, "a healthy run was told something"),
        ("halted", {"counted": {}}, "0 halts were counted"),
        ("healthy", {"counted": {"loopwatch.processor.failures": 1}}, "Loopwatch failed inside"),
    ],
)
def test_what_is_wrong_is_said(name: str, seen: dict[str, Any], said: str) -> None:
    """Each fault has its words."""
    assert said in judged(name, **seen)


def test_a_model_that_heeds_the_first_note_answers() -> None:
    """One that does not goes on with its script."""
    told = [{"role": "tool", "content": notes.added("0 results", notes.nudge("Stop."))}]
    heeding, deaf = Reader("a", LOOP, recovers=True), Reader("b", LOOP, recovers=False)
    assert [bool(model.reply([]).calls) for model in (heeding, deaf)] == [True, True]
    assert [bool(model.reply(told).calls) for model in (heeding, deaf)] == [False, True]
    assert (heeding.notes, heeding.refusals) == (1, 0)


def test_every_adapter_is_pinned_and_has_its_script_page_and_example() -> None:
    """What is tried is what the documentation lists and what users can copy."""
    from scripts import ROOT

    for name, pins in adapters().items():
        assert all("==" in pin for pin in pins)
        for kept in (
            f"otel_loopwatch/control/frameworks/{name}.py",
            f"instrumentations/adapters/{name}.py",
            f"docs/frameworks/{name}.md",
        ):
            assert (ROOT / kept).is_file(), kept
        assert examples(name), name


def test_what_went_wrong_is_told_in_lines() -> None:
    """By mode and scenario; or why nothing could be tried."""
    entry = {"watched": [{"scenario": "halted", "wrong": ["x"]}], "alone": [{"scenario": "nudged", "wrong": []}]}
    entry["example"] = []
    assert lines(entry) == ["watched, halted: x"]
    assert lines({"problem": "cannot be installed: y"}) == ["cannot be installed: y"]
