"""What the rules of detection saw of a call: keys, counts and what a signal would have taken, signalled or not.

A witness looks over the engine's shoulder: the one rule it gives to an engine asks all of the engine's own about every
call, also those that are not asked without it for they could say nothing, and notes what each asks for. Together they
judge as they do without it.
"""

from __future__ import annotations

import msgspec

from otel_loopwatch.detectors import RULES, Rule, Step, Verdict, worst
from otel_loopwatch.detectors.grading import NEVER, NO_EXTRA, Extra, needed
from otel_loopwatch.model import Kind, Level
from otel_loopwatch.outcomes import Grade


class Asked(msgspec.Struct, frozen=True):
    """A count that a rule found, and the counts at which this evidence would make a signal; ``None``: none does."""

    kind: Kind
    count: int
    usual: int
    """The threshold of a warning that is set for the kind."""
    warning: int | None
    critical: int | None


class Told(msgspec.Struct, frozen=True):
    """What one rule made of one call. It asks for nothing where it does not apply."""

    rule: str
    asked: tuple[Asked, ...]
    verdict: Verdict | None


class Sight(msgspec.Struct, frozen=True):
    """One call as the rules compare it; a key is ``None`` where something is unknown and equals nothing then."""

    attempt: int
    """Position among the run's attempts, from 0; siblings of one response share it."""
    request: int | None
    """Key of what was asked."""
    call: int | None
    """Key of what was asked and what came back."""
    answer: int | None
    """Key of what came back, whatever was asked."""
    grade: Grade
    failed: bool
    new: bool
    """The attempt brought something not seen before."""
    stale: bool
    """The very same attempt was made before, and nothing has changed since."""
    changes: bool
    """It changed the state of the world, as far as can be told."""
    gap_ns: int | None
    """Since the attempt before began."""
    told: list[Told]
    """Every rule's view, in order of preference."""

    @property
    def brought(self) -> str:
        """What the attempt brought, in a word."""
        return "change" if self.changes else "new" if self.new else "stale" if self.stale else "known"


class _Listening(Step):
    """A step that notes what is asked of it, and lets rules look into counts that are too small for any level."""

    asked: list[Asked] = msgspec.field(default_factory=list)

    def may_reach(self, kind: Kind, count: int) -> bool:
        return True

    def level(self, kind: Kind, count: int, extra: Extra = NO_EXTRA) -> Level | None:
        threshold = self.threshold(kind)
        warning, critical = needed(threshold, extra)
        known = None if extra.warning >= NEVER.warning else warning
        self.asked.append(Asked(kind, count, threshold.warning, known, critical))
        return Step.level(self, kind, count, extra)


class Witness:
    """Notes what the rules see; give ``rules`` to one engine at a time, and take the sight after each call."""

    def __init__(self) -> None:
        self.rules: tuple[Rule, ...] = (self._look,)
        self._sight: Sight | None = None

    def take(self) -> Sight | None:
        """What was seen of the latest call; ``None`` if no rule was asked, as of a tool that is ignored."""
        sight, self._sight = self._sight, None
        return sight

    def _look(self, step: Step) -> Verdict | None:
        told = [_told(step, *named) for named in RULES.items()]
        self._sight = _sight(step, told)
        return worst(one.verdict for one in told)


def _told(step: Step, name: str, rule: Rule) -> Told:
    listening = _Listening(step.run, step.attempt, step.call, step.reading, step.policy, step.settings, step.group)
    verdict = rule(listening)
    return Told(name, tuple(listening.asked), verdict)


def _sight(step: Step, told: list[Told]) -> Sight:
    attempt, member = step.attempt, step.attempt.members[-1]
    before = step.run.last(2)[0]
    return Sight(
        attempt=attempt.number,
        request=member.request,
        call=member.call,
        answer=member.answer,
        grade=member.grade,
        failed=member.failed,
        new=attempt.new,
        stale=attempt.stale,
        changes=attempt.changes,
        gap_ns=attempt.start_ns - before.start_ns if before is not attempt else None,
        told=told,
    )
