"""What holds of the newest call, and so which rules can have anything to say about it.

Most calls are like no other, and most rules are about what comes twice. To work out the facts once costs less than to
let every rule find out for itself: 2 us instead of 17 for a call that is new in every way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from otel_loopwatch.detectors.base import Step
from otel_loopwatch.outcomes import Grade


class Facts(NamedTuple):
    """Each is what some rules cannot do without; that it holds does not mean that they have anything to say."""

    failed: bool
    """Every call of the attempt failed."""
    stale: bool
    """The very same attempt was made before, and nothing has changed since."""
    repeated: bool
    """It equals the one before."""
    recurring: bool
    """It equals one of the last few."""
    answered: bool
    """Its answer was given by one of the last few."""
    unseen: bool
    """It asks what the one before asked, and no result of it is known."""
    nameless: bool
    """Names go round, and nothing else is known of the calls."""
    streak: bool
    """The tool succeeded again, with the answer it gave before."""
    batch: bool
    """It may have siblings."""
    in_group: bool
    """A call of any agent of the trace equals one of the last few."""
    written: bool
    """The run has made a write that must not be made twice."""
    edited: bool
    """The run has edited something."""
    covered: bool
    """Some range was read over and over."""
    reread: bool
    """It brought no new line, like the one before."""
    same_state: bool
    """The application declared a state again."""


Need = Callable[[Facts], bool]
"""Whether a rule can have anything to say; it is not asked where it cannot."""


def facts_of(step: Step) -> Facts:
    """The facts of the newest call, which the run has taken in already."""
    run, attempt, group = step.run, step.attempt, step.group
    failed = attempt.failed
    streak = run.streaks.get(step.reading.tool)
    return Facts(
        failed,
        attempt.stale,
        run.call_keys.matches[1] > 0,
        not run.call_keys.quiet,
        not run.answer_keys.quiet,
        attempt.grade is Grade.NOTHING and run.request_keys.matches[1] > 0,
        not run.name_keys.quiet,
        streak is not None and streak.count > 1 and not failed,
        step.call.batch is not None,
        group is not None and not group.keys.quiet,
        bool(run.writes),
        bool(run.edits),
        bool(run.covered) and max(run.covered.values()) > 1,
        run.rereads > 1 and run.reread == attempt.number,
        run.state_turns > 1,
    )
