"""A rule that is not asked would have said nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
from engine.story import Line, call, fails, story, times, together
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.detectors import NEEDS, RULES, Panel, Step, Verdict, worst
from otel_loopwatch.detectors.facts import Facts, facts_of
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, ToolCall
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

BOOK = [f"Line {number} of the harbour book" for number in range(40)]
TIDE = "High water at the north pier this evening"
DENIED = "Permission denied for role reader: ask the owner of the page"
LINES: list[Line] = [
    call("read_tide", {"port": 4}, TIDE),
    call("read_tide", {"port": 5}, "Low water at the south pier this evening"),
    *(call("search_docs", {"query": q}, TIDE) for q in ("lamp warranty terms", "terms of lamp warranty", "lamp terms")),
    *(call("search", {"query": q}, "No results found.") for q in ("red lamp on", "lamp red on", "on a red lamp")),
    *(call("poll", {"job": 7}, f"{TIDE}, {n} of 90 boats are in and the harbour is open to all") for n in (3, 1, 2)),
    call("job_status", {"job": 7}, "running"),
    call("press_key", {"key": "down"}, "ok"),
    call("wait", {"seconds": 5}, "done"),
    fails("open_page", {"tab": 1}, DENIED),
    *(fails("read_page", {"tab": tab}, error) for tab in (1, 2) for error in (DENIED, "Missing field tab", "HTTP 503")),
    call("send_payment", {"to": "ann", "crowns": 40}, "Payment p-1 was sent"),
    *(call("replace", {"old": f"a{n}", "new": f"a{1 - n}", "file": "x"}, f"Replaced a{n} in file x") for n in (0, 1)),
    *(call("read_book", {"path": "/b", "offset": n, "limit": 30}, "\n".join(BOOK[n : n + 30])) for n in (0, 1, 2)),
    call("look", {"at": "pier"}, "Nobody is at the pier today", state="s"),
    call("read_tide", {"port": 4}),
    *(call(tool) for tool in ("grep", "cat", "ls")),
]
"""Something that each rule is about."""
FIRST_TIME = [call("read_tide", {"port": n}, f"Tide {'abcdefgh'[n] * 9} at pier {'stuvwxyz'[n] * 9}") for n in range(8)]


class Bystander:
    """Asks every rule about every call, and notes facts, verdicts, and what rules say that would not be asked."""

    def __init__(self, strict: int | None = None) -> None:
        limits = Settings() if strict is None else Settings(thresholds=dict.fromkeys(Kind, Threshold(strict, strict)))
        self.engine = Engine(limits, rules=[self._look])
        self.panel = Panel(RULES.values(), NEEDS)
        self.facts: list[Facts] = []
        self.speaking: set[str] = set()

    def watch(self, calls: list[ToolCall]) -> None:
        """Look at all calls."""
        for item in calls:
            self.engine.observe(item)

    def _look(self, step: Step) -> Verdict | None:
        facts = facts_of(step)
        said = {name: verdict for name, rule in RULES.items() if (verdict := rule(step)) is not None}
        assert [name for name in said if not NEEDS[RULES[name]](facts)] == []
        assert self.panel.verdict(step) == worst(said.values())
        self.facts.append(facts)
        self.speaking |= said.keys()
        return worst(said.values())


GAPS = st.sampled_from([0.1, 5.0, 60.0])
DRAWN: st.SearchStrategy[list[Line]] = st.one_of(
    st.builds(lambda line, times: [line] * times, st.sampled_from(LINES), st.integers(1, 6)),
    st.builds(lambda lines, times: lines * times, st.lists(st.sampled_from(LINES), max_size=4), st.integers(1, 5)),
    st.builds(together, st.integers(1, 3), st.lists(st.sampled_from(LINES), min_size=1, max_size=4)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(DRAWN, max_size=12), st.lists(GAPS, min_size=1, max_size=4), st.sampled_from([None, 1, 2]), st.data())
def test_whoever_is_not_asked_would_say_nothing(
    parts: list[list[Line]], gaps: list[float], strict: int | None, data: st.DataObject
) -> None:
    """Whatever is called, by one agent or two, at the usual thresholds or at none; the worst verdict is the same."""
    agents = data.draw(st.sampled_from([["ann"], ["ann", "bob"]]))
    lines = [
        replace(line, gap=gaps[n % len(gaps)], fields=line.fields | {"agent": agents[n % len(agents)]})
        for n, line in enumerate(chain.from_iterable(parts))
    ]
    Bystander(strict).watch(story(lines))


def test_every_rule_is_asked_when_it_has_something_to_say() -> None:
    """Each of them speaks about one of these stories, so that the test above is about all."""
    told: set[str] = set()
    for lines in (
        *([line] * 30 for line in LINES),
        *(times(12, *LINES[start : start + size]) for start in range(len(LINES)) for size in (2, 3, 6)),
        [together(1, [LINES[0]] * 9)],
        [part for n, line in enumerate(FIRST_TIME) for part in (line, LINES[0], LINES[0], LINES[1 + n % 2])],
        [replace(line, fields={"agent": "ab"[n % 2]}) for n, line in enumerate(LINES[:2] * 8)],
    ):
        bystander = Bystander()
        bystander.watch(story(lines))
        told |= bystander.speaking
    assert told == RULES.keys()


def test_nobody_is_asked_about_what_is_new_in_every_way() -> None:
    """Not one fact holds of calls that are like no other."""
    bystander = Bystander()
    bystander.watch(story(FIRST_TIME))
    assert {any(facts) for facts in bystander.facts} == {False}


@pytest.mark.parametrize("fact", Facts._fields)
def test_every_fact_is_needed(fact: str) -> None:
    """A fact that no rule needs would be worked out for nothing."""
    alone = Facts(*(name == fact for name in Facts._fields))
    assert any(needs(alone) for needs in NEEDS.values())


def test_a_rule_of_ones_own_is_asked_about_every_call() -> None:
    """Nothing is known of what it needs."""
    asked: list[ToolCall] = []

    def listening(step: Step) -> Verdict | None:
        asked.append(step.call)
        return None

    engine = Engine(Settings(tools=(("wait", ToolPolicy(ignore=True)),)), rules=[listening])
    calls = story(FIRST_TIME)
    for item in calls:
        engine.observe(item)
    assert asked == calls
