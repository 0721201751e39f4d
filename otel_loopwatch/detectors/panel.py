"""Rules that judge together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from otel_loopwatch.detectors.base import Rule, Step, Verdict, worst
from otel_loopwatch.detectors.facts import Facts, Need, facts_of

MAX_COMBINATIONS = 256
"""Combinations of facts for which the rules to ask are remembered; a run knows a dozen."""


class Panel:
    """Rules in order of preference. A rule is asked only where the facts leave it something to say."""

    def __init__(self, rules: Iterable[Rule], needs: Mapping[Rule, Need]) -> None:
        self._rules = tuple((rule, needs.get(rule)) for rule in rules)
        self._concerned = lru_cache(MAX_COMBINATIONS)(self._choose)

    def verdict(self, step: Step) -> Verdict | None:
        """The worst verdict on the newest call."""
        rules = self._concerned(facts_of(step))
        return worst(rule(step) for rule in rules) if rules else None

    def _choose(self, facts: Facts) -> tuple[Rule, ...]:
        return tuple(rule for rule, needs in self._rules if needs is None or needs(facts))
