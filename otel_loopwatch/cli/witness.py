"""What the rules of detection saw of a call: keys, counts and what a signal would have taken, signalled or not.

A witness looks over the engine's shoulder: the rules it gives to an engine are the engine's own, and they note what
they ask. They judge as they do without it.
"""

from __future__ import annotations

from functools import partial

import msgspec

from otel_loopwatch.detectors import RULES, Rule, Step, Verdict
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
    """Every rule's view, in the order in which they are asked; filled while they are."""

    @property
    def brought(self) -> str:
        """What the attempt brought, in a word."""
        return "change" if self.changes else "new" if self.new else "stale" if self.stale else "known"


class _Listening(Step):
    """A step that notes what is asked of it."""

    asked: list[Asked] = msgspec.field(default_factory=list)

    def level(self, kind: Kind, count: int, extra: Extra = NO_EXTRA) -> Level | None:
        threshold = self.threshold(kind)
        warning, critical = needed(threshold, extra)
        known = None if extra.warning >= NEVER.warning else warning
        self.asked.append(Asked(kind, count, threshold.warning, known, critical))
        return Step.level(self, kind, count, extra)


class Witness:
    """Notes what the rules see; give ``rules`` to one engine at a time, and take the sight after each call."""

    def __init__(self) -> None:
        self.rules: tuple[Rule, ...] = (self._look, *(partial(self._listen, *named) for named in RULES.items()))
        self._sight: Sight | None = None
        self._step: _Listening | None = None

    def take(self) -> Sight | None:
        """What was seen of the latest call; ``None`` if no rule was asked, as of a tool that is ignored."""
        sight, self._sight = self._sight, None
        return sight

    def _look(self, step: Step) -> Verdict | None:
        self._step = _Listening(step.run, step.call, step.reading, step.policy, step.settings, step.group)
        self._sight = _sight(step)
        return None

    def _listen(self, name: str, rule: Rule, step: Step) -> Verdict | None:
        listening = self._step
        if listening is None or self._sight is None:
            return rule(step)
        listening.asked.clear()
        verdict = rule(listening)
        self._sight.told.append(Told(name, tuple(listening.asked), verdict))
        return verdict


def _sight(step: Step) -> Sight:
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
        told=[],
    )
