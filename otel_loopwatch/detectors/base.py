"""What a detector gets and gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from otel_loopwatch.detectors import grading
from otel_loopwatch.detectors.group import Group
from otel_loopwatch.detectors.pace import Pace, hot, pace_of
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import Evidence, Kind, Level, ToolCall
from otel_loopwatch.records import Attempt
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy


class Step(msgspec.Struct):
    """A run with its newest call, and the rules that apply to it."""

    run: Run
    attempt: Attempt
    """The attempt the call belongs to."""
    call: ToolCall
    reading: Reading
    policy: ToolPolicy
    settings: Settings
    group: Group | None = None
    """The calls of all agents that share the call's trace."""

    def threshold(self, kind: Kind) -> Threshold:
        """Thresholds of a kind for this tool."""
        return self.policy.thresholds.get(kind) or self.settings.thresholds[kind]

    def may_reach(self, kind: Kind, count: int) -> bool:
        """Whether ``count`` is enough for some level if no evidence is missing; asked before that is looked at."""
        threshold = self.threshold(kind)
        return count >= grading.LEAST and (count >= threshold.warning or count >= threshold.critical)

    def level(self, kind: Kind, count: int, extra: grading.Extra = grading.NO_EXTRA) -> Level | None:
        """The level that ``count`` repeats (or rounds) of a kind reach; rules ask here, so that it can be told."""
        return grading.level(count, self.threshold(kind), extra)

    def pace(self, attempts: int) -> Pace:
        """The pace of the last ``attempts`` attempts."""
        return pace_of(self.run.last(attempts), self.settings.patient_gap_s)

    def hot(self, attempts: int) -> bool:
        """Whether the last ``attempts`` attempts follow each other with hardly a pause."""
        return hot(self.run.last(attempts))


class Verdict(msgspec.Struct, frozen=True):
    """A detector's opinion: this is a loop. As long as the loop goes on, there is one per call."""

    kind: Kind
    level: Level
    count: int
    wasted: int
    evidence: Evidence
    tools: tuple[str, ...]
    first_span_id: int
    why: str
    """What was seen, as the end of the sentence "``tools`` ..."."""
    period: int = 1


def worst(verdicts: Iterable[Verdict | None]) -> Verdict | None:
    """The first critical one, else the first there is; what comes after a critical one is not taken."""
    first = None
    for verdict in verdicts:
        if verdict is not None and verdict.level is Level.CRITICAL:
            return verdict
        first = first or verdict
    return first


Rule = Callable[[Step], "Verdict | None"]
"""Looks at a run after each call; must not change it."""
