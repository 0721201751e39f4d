from __future__ import annotations

from typing import Any

import pytest
from quality import ablation
from quality.judging import Caught, Judgement
from quality.loading import Expectation
from quality.rewriting.case import Case
from quality.rewriting.judge import Score

PAGE = "Departures from gate seven: Ulm, Bonn and Kiel are boarding"
LOOP = Expectation(True, by_step=6, kinds=frozenset({"identical", "retry_storm"}))
FINE = Expectation(False)


def case(name: str, expect: Expectation, *calls: dict[str, Any]) -> Case:
    """Calls, five seconds apart."""
    return Case(name, tuple({"error": None, "at_ms": 5000 * at, **call} for at, call in enumerate(calls)), expect)


def page(number: int = 0, result: str = PAGE) -> dict[str, Any]:
    """A page is read."""
    return {"tool": "read_page", "args": {"tab": number}, "result": result}


REREAD = case("reread", LOOP, *[page()] * 8)
DENIED = case(
    "denied", LOOP, *[{**page(), "result": None, "error": "Permission denied for role reader: ask the owner"}] * 8
)
READ = case("read", FINE, *[page(n, f"Chapter {n}k: how to tie knot {n}k at sea") for n in range(8)])
ASKED = case("asked", FINE, *[page()] * 8)
CASES = [REREAD, DENIED, READ, ASKED]


@pytest.mark.parametrize(
    ("case", "speaking", "silent"),
    [
        (REREAD, "identical.repeated", "retry_storm.same_call"),
        (DENIED, "retry_storm.same_call", "hand_off.between_agents"),
    ],
)
def test_a_rule_is_judged_where_it_speaks(case: Case, speaking: str, silent: str) -> None:
    """Alone it solves the case; one that says nothing is not tried."""
    view = ablation.view(case)
    assert view.alone[speaking].caught is view.complete.caught is Caught.IN_TIME
    assert view.silent.caught is Caught.MISSED
    assert silent not in view.alone.keys() | view.without.keys()


def test_nobody_speaks_about_good_work() -> None:
    """Then nothing is gained or lost by any rule."""
    view = ablation.view(READ)
    assert (view.alone, view.without, view.complete) == ({}, {}, view.silent)


def test_what_each_rule_is_worth() -> None:
    """Loops that it solves, and false alarms that it gives."""
    complete, worths = ablation.measured(CASES)
    by_rule = {worth.rule: worth for worth in worths}
    assert list(by_rule) == list(ablation.RULES)
    assert (complete.in_time, complete.alarms) == (2, 1)
    assert by_rule["identical.repeated"].solved() == ["reread"]
    assert by_rule["hand_off.between_agents"].solved() == by_rule["hand_off.between_agents"].lost(complete) == []
    told = {figures["rule"]: figures for figures in ablation.as_json(complete, worths)}
    assert told["identical.repeated"]["false_alarms_alone"] == ["asked"]


def test_lost_and_spared_are_told_from_all_rules_together() -> None:
    """Lost: seen in time by all rules and not without this one. Spared: a false alarm that goes with it."""
    seen, late, missed = (Judgement("", caught=caught) for caught in Caught)
    alarmed, silent = Judgement("", false_alarm=True), Judgement("")
    complete = Score({"a": seen, "b": seen, "c": late, "d": alarmed, "e": alarmed})
    without = Score({"a": missed, "b": seen, "c": missed, "d": silent, "e": alarmed})
    worth = ablation.Worth("rule", complete, without)
    assert (worth.solved(), worth.lost(complete), worth.spared(complete)) == (["a", "b"], ["a"], ["d"])


def test_the_table_names_rules_that_serve_one_case() -> None:
    """With so few cases, all of them."""
    complete, worths = ablation.measured(CASES)
    table = ablation.markdown({case.id: case for case in CASES}, complete, worths)
    assert table.startswith("All rules: 2 of 2 loops in time, 1 false alarms.")
    assert "| identical.repeated | 1 | 1 | 1 |" in table
    assert table.endswith(f"Serve one case or none: {', '.join(ablation.RULES)}.")
