"""Rules that need no package."""

from __future__ import annotations

import pytest
from quality.detector import Call, Fired
from quality.plain import RULES
from quality.watching import watch
from scoring import call

BY_NAME = {rule.name: rule for rule in RULES}
SAME = [call() for _ in range(40)]
A, B, C = (call(letter, f"about {letter}") for letter in "abc")
GROWING = [call("a", f"line {number}") for number in range(40)]
FAILING = [call(number, error="no such file") for number in range(40)]
NEW = [call(number, f"about {number}") for number in range(40)]
UNKNOWN = [call(None, None) for _ in range(40)]


@pytest.mark.parametrize(
    ("rule", "calls", "at"),
    [
        ("3 identical in a row", SAME, 3),
        ("4 identical in a row", SAME, 4),
        ("5 identical in a row", SAME, 5),
        ("6 identical in a row", SAME, 6),
        ("3 identical in a row", GROWING, 3),
        ("3 identical in a row", [A, A, B] * 9, None),
        ("3 identical in a row", [call({"a": 1, "b": 2}), call({"b": 2, "a": 1})] * 2, 3),
        ("3 identical in a row", UNKNOWN, None),
        ("same call and result 3 in 30", [A, B, C] * 3, 7),
        ("same call and result 5 in 30", [A, B] * 6, 9),
        ("same call and result 3 in 30", GROWING, None),
        ("same call and result 3 in 30", UNKNOWN, None),
        ("same call and result 3 in 30", [A, A, *NEW[:29], A], None),
        ("cycles of 1-6, 3 rounds", [A, B, C] * 3, 9),
        ("cycles of 1-6, 3 rounds", [A, B, C, A, B, A] * 3, 18),
        ("cycles of 1-6, 3 rounds", SAME, 3),
        ("cycles of 1-6, 3 rounds", NEW, None),
        ("cycles of 1-6, 3 rounds", [*NEW[:7], *NEW[:7], *NEW[:7]], None),
        ("same error 3 in a row", FAILING, 3),
        ("same error 3 in a row", SAME, None),
        ("same error 3 in a row", [call(error="a"), call(error="b")] * 9, None),
        ("step limit 25", NEW, 26),
        ("step limit 25", NEW[:25], None),
    ],
)
def test_rules(rule: str, calls: list[Call], at: int | None) -> None:
    """At which call each rule is met first; unknown values equal nothing."""
    assert watch(BY_NAME[rule], calls).at(Fired.STOPPED) == at


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_sessions_know_nothing_of_each_other(rule: object) -> None:
    """What one has seen another has not."""
    first, second = BY_NAME[rule.name].start(), BY_NAME[rule.name].start()  # type: ignore[attr-defined]
    assert [first.observe(one) for one in SAME] == [second.observe(one) for one in SAME]
