"""The rules of loop detection, one file per kind of loop.

A rule looks at a run after each call and gives a verdict or none. `RULES` holds them in order of preference, for where
several see the same loop at the same level.
"""

from __future__ import annotations

from otel_loopwatch.detectors import (
    coverage,
    cycle,
    drift,
    duplicate_write,
    flip_flop,
    hand_off,
    identical,
    in_between,
    names_only,
    no_progress,
    retry_storm,
)
from otel_loopwatch.detectors.base import Rule, Step, Verdict, worst
from otel_loopwatch.detectors.group import Group

_ALL: tuple[Rule, ...] = (
    hand_off.between_agents,
    duplicate_write.done_again,
    retry_storm.same_call,
    retry_storm.same_failure,
    retry_storm.stubborn,
    retry_storm.not_understood,
    retry_storm.whatever_tool,
    identical.repeated,
    identical.but_for_numbers,
    identical.siblings,
    identical.blind,
    flip_flop.back_and_forth,
    cycle.exact,
    cycle.noisy,
    in_between.going_on,
    drift.one_answer,
    coverage.read_again,
    no_progress.known_lines,
    no_progress.same_state,
    no_progress.again,
    no_progress.stale_share,
    names_only.in_a_row,
    names_only.in_turns,
)


def _name(rule: Rule) -> str:
    return f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}"


RULES: dict[str, Rule] = {_name(rule): rule for rule in _ALL}
"""Every rule by its name, ``detector.rule``."""

__all__ = ["RULES", "Group", "Rule", "Step", "Verdict", "worst"]
