"""The rules of loop detection, one file per kind of loop.

A rule looks at a run after each call and gives a verdict or none. `RULES` holds them in order of preference, for where
several see the same loop at the same level; `NEEDS` says what must hold for one to be asked at all.
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
from otel_loopwatch.detectors.facts import Need
from otel_loopwatch.detectors.group import Group
from otel_loopwatch.detectors.panel import Panel

_ALL: tuple[tuple[Rule, Need], ...] = (
    (hand_off.between_agents, lambda now: now.in_group),
    (duplicate_write.done_again, lambda now: now.written),
    (retry_storm.same_call, lambda now: now.failed),
    (retry_storm.same_failure, lambda now: now.failed),
    (retry_storm.stubborn, lambda now: now.failed),
    (retry_storm.not_understood, lambda now: now.failed),
    (retry_storm.whatever_tool, lambda now: now.failed),
    (identical.repeated, lambda now: now.repeated and not now.failed),
    (identical.but_for_numbers, lambda now: now.streak),
    (identical.siblings, lambda now: now.batch),
    (identical.blind, lambda now: now.unseen),
    (flip_flop.back_and_forth, lambda now: now.edited),
    (cycle.exact, lambda now: now.recurring),
    (cycle.noisy, lambda now: now.answered),
    (in_between.going_on, lambda now: now.stale),
    (drift.one_answer, lambda now: now.streak),
    (coverage.read_again, lambda now: now.covered),
    (no_progress.known_lines, lambda now: now.reread),
    (no_progress.same_state, lambda now: now.same_state),
    (no_progress.again, lambda now: now.stale),
    (no_progress.stale_share, lambda now: now.stale),
    (names_only.in_a_row, lambda now: now.nameless),
    (names_only.in_turns, lambda now: now.nameless),
)


def _name(rule: Rule) -> str:
    return f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}"


RULES: dict[str, Rule] = {_name(rule): rule for rule, _ in _ALL}
"""Every rule by its name, ``detector.rule``."""
NEEDS: dict[Rule, Need] = dict(_ALL)
"""What must hold for a rule to be asked; any other one is asked about every call."""


__all__ = ["NEEDS", "RULES", "Group", "Panel", "Rule", "Step", "Verdict", "worst"]
