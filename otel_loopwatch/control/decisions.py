"""What was decided about a run, as it travels: over HTTP, on a topic, into the audit log."""

from __future__ import annotations

import msgspec

from otel_loopwatch.model import Action

BY_LOOPWATCH = "loopwatch"
"""Who decided, where it was no person."""


class RunDecision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The decision that holds for a run; a later one, of a higher version, takes its place. JSON as it stands."""

    run: str
    """Key of the run."""
    action: Action
    """HALT: the run is to end. CONTINUE: it goes on, also after a halt. NUDGE and BLOCK: the advice is for it."""
    version: int
    """Rises with every decision of one source; 0 is none."""
    at_ns: int = 0
    by: str = BY_LOOPWATCH
    """Who decided: ``loopwatch``, or the name a person gave."""
    reason: str = ""
    """One sentence for people, without argument values."""
    advice: str = ""
    """For the model: what repeats, and what to do instead."""
    signal: str | None = None
    """Id of the signal that led to it."""
    trace_id: str = ""
    """Of the run, as 32 hex digits; empty where it has none."""
    agent: str | None = None

    @property
    def halts(self) -> bool:
        """Whether the run is to end."""
        return self.action is Action.HALT


def undecided(run: str) -> RunDecision:
    """What holds for a run of which nothing was decided."""
    return RunDecision(run=run, action=Action.CONTINUE, version=0)
