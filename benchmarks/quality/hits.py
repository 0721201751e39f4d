"""Which recorded runs a detector hits, failed ones and successful ones, and whose point lies outside whose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .detector import Fired
from .intervals import clopper_pearson
from .loading import Recording
from .watching import Watched

SHORT = "mint_alfworld"
"""Source of many short runs; the others are also taken together, for it outweighs them all."""
OTHERS, ALL = f"all but {SHORT}", "all"
LEVELS = {"warned": Fired.WARNED, "stopped": Fired.STOPPED}
"""To be warned is to be warned or worse."""
OUTCOMES = ("success", "failure", "unknown")


@dataclass(frozen=True, slots=True)
class Hit:
    """What a detector did to one recorded run: the calls at which it first fired and first stopped."""

    source: str
    outcome: str
    calls: int
    warned: int | None = None
    stopped: int | None = None
    loops: bool = False
    broken: int = 0

    def at(self, level: str) -> int | None:
        """Call of the first firing of a level of :data:`LEVELS`."""
        return self.warned if level == "warned" else self.stopped


def hit(recording: Recording, watched: Watched) -> Hit:
    """Hold the firings against the run."""
    return Hit(
        source=recording.source,
        outcome=recording.outcome,
        calls=len(recording.calls),
        warned=watched.at(Fired.WARNED),
        stopped=watched.at(Fired.STOPPED),
        loops=recording.loops,
        broken=watched.broken,
    )


def by_source(hits: Iterable[Hit]) -> dict[str, dict[str, Any]]:
    """Figures per source of recorded runs, of all but the largest, and of all."""
    groups: dict[str, list[Hit]] = defaultdict(list)
    for one in hits:
        for group in (one.source, ALL) if one.source == SHORT else (one.source, OTHERS, ALL):
            groups[group].append(one)
    return {name: summary(group) for name, group in groups.items()}


def summary(hits: Sequence[Hit]) -> dict[str, Any]:
    """The figures of one group of runs."""
    failures = [one for one in hits if one.outcome == "failure"]
    looping = [one for one in hits if one.loops]
    return {
        "runs": len(hits),
        **{level: {outcome: _share(hits, level, outcome) for outcome in OUTCOMES} for level in LEVELS},
        "calls_of_failures": sum(one.calls for one in failures),
        "calls_saved": sum(one.calls - one.stopped for one in failures if one.stopped is not None),
        "calls_before": {level: _median(failures, level) for level in LEVELS},
        "marked_loops": {"runs": len(looping), **{level: _count(looping, level) for level in LEVELS}},
        "broken_calls": sum(one.broken for one in hits),
    }


def _share(hits: Iterable[Hit], level: str, outcome: str) -> dict[str, Any]:
    runs = [one for one in hits if one.outcome == outcome]
    count = _count(runs, level)
    interval = [round(bound, 5) for bound in clopper_pearson(count, len(runs))] if runs else None
    return {"hit": count, "runs": len(runs), "interval": interval}


def _count(hits: Iterable[Hit], level: str) -> int:
    return sum(one.at(level) is not None for one in hits)


def _median(hits: Iterable[Hit], level: str) -> float | None:
    """Calls made before the one at which it fired, in the middle of the runs hit."""
    before = [at - 1 for one in hits if (at := one.at(level)) is not None]
    return median(before) if before else None


def frontier(ours: Mapping[str, Any], other: Mapping[str, Any], level: str) -> str:
    """How another detector's point lies to ours: better is fewer successes hit and more failures.

    Both are figures of one source as :func:`summary` gives them.
    """
    (good, bad), (their_good, their_bad) = (
        (figures[level]["success"]["hit"], figures[level]["failure"]["hit"]) for figures in (ours, other)
    )
    if (good, bad) == (their_good, their_bad):
        return "equal"
    if their_good >= good and their_bad <= bad:
        return "dominated"
    if their_good <= good and their_bad >= bad:
        return "dominates"
    return "neither"


def outdoing(detectors: Mapping[str, Mapping[str, Any]], source: str, level: str) -> dict[str, tuple[int, int]]:
    """Who dominates the first detector on a source: the successes and the failures they hit, by name."""
    (_, ours), *others = detectors.items()
    return {
        name: (known[level]["success"]["hit"], known[level]["failure"]["hit"])
        for name, figures in others
        if (known := figures["corpora"].get(source)) and frontier(ours["corpora"][source], known, level) == "dominates"
    }
