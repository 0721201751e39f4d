"""What each rule made of a whole run: when it gave a verdict, or how near it came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from otel_loopwatch.cli.reading import Judged
from otel_loopwatch.cli.witness import Asked, Told
from otel_loopwatch.detectors import RULES, Verdict
from otel_loopwatch.model import Evidence, Level
from otel_loopwatch.outcomes import Grade


@dataclass(frozen=True, slots=True)
class Ruling:
    """One rule and one run, in words."""

    rule: str
    looks_for: str
    said: str
    """When it gave verdicts or how near it came; empty where there was nothing to count."""
    level: Level | None
    """The highest level of its verdicts."""


def rulings(run: Sequence[Judged]) -> Iterator[Ruling]:
    """Every rule's ruling, in the order in which rules are preferred."""
    for name, rule in RULES.items():
        told = [(judged, one) for judged in run if judged.sight for one in judged.sight.told if one.rule == name]
        levels = {one.verdict.level for _, one in told if one.verdict}
        worst = max(levels, key=list(Level).index, default=None)
        said = "; ".join(_verdicts(told)) or _nearest(told)
        yield Ruling(name, (rule.__doc__ or "").partition("\n")[0], said, worst)


def _verdicts(told: Sequence[tuple[Judged, Told]]) -> Iterator[str]:
    """The first verdict at each level."""
    for level in Level:
        found = ((judged, one.verdict) for judged, one in told if one.verdict and one.verdict.level is level)
        for judged, verdict in islice(found, 1):
            yield f"{level.value} at call {judged.position} with {verdict.count}{_unless_raised(judged, verdict)}"


def _unless_raised(judged: Judged, verdict: Verdict) -> str:
    raised = [(signal.kind, signal.level, signal.count) for signal in judged.signals]
    if (verdict.kind, verdict.level, verdict.count) in raised:
        return ""
    return " (another rule comes first)" if raised else " (the loop had been signalled)"


def _nearest(told: Sequence[tuple[Judged, Told]]) -> str:
    """How near the rule came to a verdict, where it gave none; empty where nothing came twice."""
    counts = [(asked, judged) for judged, one in told for asked in one.asked if asked.count > 1]
    if not counts:
        return ""
    asked, judged = max(counts, key=lambda pair: _share(pair[0]))
    if asked.warning is None:
        return f"{asked.count} at call {judged.position}, and no number is enough"
    return f"{asked.count} of {asked.warning} at call {judged.position}{_because(asked, asked.warning, judged)}"


def _share(asked: Asked) -> float:
    return asked.count / asked.warning if asked.warning else 0


def _because(asked: Asked, warning: int, judged: Judged) -> str:
    """Why the count was not enough, as far as it is not plain."""
    if asked.count >= warning:
        return ", but its other conditions are not met"
    if warning <= asked.usual:
        return ""
    grade = judged.sight.grade if judged.sight else Grade.NOTHING
    if grade.evidence is Evidence.STRONG:
        return f" (usually {asked.usual}; here it takes more)"
    return f" (usually {asked.usual}, but {grade.name.lower()} is {_STRENGTH[grade.evidence]})"


_STRENGTH = {Evidence.WEAK: "weak evidence", Evidence.NONE: "no evidence"}
