"""Another course of the run: its gaps, other work in between, and what the caller does not tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from otel_loopwatch.settings import Budget

from ..loading import Expectation
from .case import Case, Entry
from .mutation import Mutation, Rewrite, each, without

NoiseCall = Callable[[int], Entry]
"""Tool, arguments and result of a call that has nothing to do with the others; its number makes it new."""


def other_gaps(factor: float) -> Rewrite:
    """The same at another speed; a limit on time moves with it."""

    def rewrite(case: Case, _: Random) -> Case:
        calls = tuple({**entry, "at_ms": int(entry["at_ms"] * factor)} for entry in case.calls)
        budget = case.settings.budget
        if budget.seconds is not None:
            budget = replace(budget, seconds=budget.seconds * factor)
        return replace(case, calls=calls, settings=replace(case.settings, budget=budget))

    return rewrite


def with_noise(noise: NoiseCall, every: int | None) -> Rewrite:
    """Something new in between, after every so many calls, or by chance after one call in four.

    It is the same agent's work. Siblings stay together. A limit on calls would count it, so such cases stay.
    """

    def rewrite(case: Case, random: Random) -> Case:
        if case.settings.budget != Budget():
            return case
        calls: list[Entry] = []
        steps: list[int] = []
        for number, entry in enumerate(case.calls, 1):
            calls.append(entry)
            steps.append(len(calls))
            due = number % every == 0 if every else random.random() < 1 / 4
            if due and not _inside_batch(case, number):
                calls.append({**noise(number), **_circumstances(case, number)})
        return replace(case, calls=tuple(calls), expect=_moved(case.expect, steps))

    return rewrite


def _inside_batch(case: Case, number: int) -> bool:
    """Whether the calls before and after a place are siblings."""
    batch = case.calls[number - 1].get("batch")
    return batch is not None and number < len(case.calls) and case.calls[number].get("batch") == batch


def _circumstances(case: Case, number: int) -> Entry:
    """Agent and turn of the call before, and half the way to the next."""
    before = case.calls[number - 1]
    after = case.calls[number]["at_ms"] if number < len(case.calls) else before["at_ms"] + 1_000
    known = {key: before[key] for key in ("agent", "turn") if key in before}
    return {**known, "error": None, "at_ms": (before["at_ms"] + after) // 2}


def _moved(expect: Expectation, steps: list[int]) -> Expectation:
    """The verdict, with each step where its call now is."""
    if not expect.loop:
        return expect
    return replace(expect, by_step=steps[expect.by_step - 1], not_before=steps[expect.not_before - 1])


def _star(number: int) -> Entry:
    """A look-up of something else each time."""
    return {
        "tool": "gaze",
        "args": {"at": f"star {number}k"},
        "result": f"Star {number}k is {number + 3}k years old and {number * 7}k miles away",
    }


def _news(number: int) -> Entry:
    """The same look-up with news each time."""
    return {
        "tool": "next_headline",
        "args": {},
        "result": f"Ship {number}q has come in with {number * 13 + 5}q barrels",
    }


def no_results(entry: Entry, _: int) -> Entry:
    """What the tools returned was not captured; that they failed was."""
    return {**entry, "result": None, "error": True if entry.get("error") else None}


def nothing_but_the_call(entry: Entry, _: int) -> Entry:
    """Nor was that they failed."""
    return {**entry, "result": None, "error": None}


def no_arguments(entry: Entry, _: int) -> Entry:
    """What the tools were called with was not captured."""
    return {**entry, "args": None}


MUTATIONS = [
    Mutation("gaps x10", other_gaps(10.0)),
    Mutation("gaps x0.1", other_gaps(0.1)),
    Mutation("noise: a look-up after every third call", with_noise(_star, 3)),
    Mutation("noise: news after every third call", with_noise(_news, 3)),
    Mutation("noise: a look-up now and then", with_noise(_star, None)),
    Mutation("no batch ids", without("batch"), keeps_evidence=False),
    Mutation("no agent ids", without("agent"), keeps_evidence=False),
    Mutation("no times", each(lambda entry, number: {**entry, "at_ms": 1_000 * number}), keeps_evidence=False),
    Mutation("no results", each(no_results), keeps_evidence=False),
    Mutation("no results, no failures", each(nothing_but_the_call), keeps_evidence=False),
    Mutation("no arguments", each(no_arguments), keeps_evidence=False),
]
