"""What may stand under ``calibration``, as `otel-loopwatch calibrate` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from otel_loopwatch.calibration import Calibration, GoodRuns
from otel_loopwatch.config.rules import Path, Rule, broken, named, simple, table, whole

TOO_FEW = "the scores from the line on: alpha was raised or scores are missing, so calibrate anew"


def share() -> Rule:
    """A share between 0 and 1 as an exact fraction: 0.05 is 1/20."""
    words = "a share above 0 and below 1, such as 0.05 or 1/20"

    def check(path: Path, value: object) -> Fraction:
        try:
            made = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            raise broken(path, value, words) from None
        if not 0 < made < 1:
            raise broken(path, value, words)
        return made

    return Rule(words, check)


def _rising(value: Any) -> bool:
    numbers = isinstance(value, (list, tuple)) and all(type(one) in (int, float) and 0 <= one < 1e300 for one in value)
    return numbers and all(one <= other for one, other in pairwise(value))


def _distinct_names(value: Any) -> bool:
    listed = isinstance(value, (list, tuple)) and all(isinstance(one, str) and one for one in value)
    return listed and len(set(value)) == len(value)


def _required(rule: Rule, keys: tuple[str, ...], build: Any) -> Rule:
    """The rule, where these keys may not be missing."""

    def check(path: Path, value: object) -> Any:
        given = rule.check(path, value)
        if any(key not in given for key in keys):
            raise broken(path, value, rule.words)
        return build(path, given)

    return Rule(rule.words, check)


def _good_runs(path: Path, given: Mapping[str, Any]) -> GoodRuns:
    made = GoodRuns(**given)
    if len(made.top) > made.runs:
        raise broken((*path, "top"), list(made.top), f"at most {made.runs} scores, one per run")
    return made


def _calibration(path: Path, given: Mapping[str, Any]) -> Calibration:
    made = Calibration(**given)
    for agent, runs in made.agents.items():
        if runs.place(made.alpha) < 0:
            raise broken((*path, "agents", agent, "top"), list(runs.top), TOO_FEW)
    return made


GOOD_RUNS = _required(
    table(
        {
            "runs": whole(0),
            "top": simple("a list of scores in rising order", _rising, lambda v: tuple(map(float, v))),
            "mistaken": simple("a list of different run keys", _distinct_names, tuple),
        },
        "a mapping of runs, top and mistaken",
    ),
    ("runs",),
    _good_runs,
)

CALIBRATION = _required(
    table(
        {"alpha": share(), "agents": named(GOOD_RUNS, "a mapping of agents to their good runs")},
        "a mapping of alpha and agents",
    ),
    ("alpha", "agents"),
    _calibration,
)
