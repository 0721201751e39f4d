"""The tiered response: tell the model twice, then refuse the call, then end the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from otel_loopwatch.model import Action, Kind, Level, LoopSignal, RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsePolicy:
    """What is done about a loop, and what next if it goes on: a control hook, and the ladder a gate climbs with it.

    A warning nudges. A critical signal blocks, since nobody is there to answer; where somebody is (``attended``) it
    only nudges. A budget that is used up halts. ``actions`` says otherwise for single kinds and levels.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    attended: bool = False
    """Somebody watches and can answer: warn instead of stopping."""
    actions: Mapping[tuple[Kind, Level], Action] = field(default_factory=dict)
    max_nudges: int = 2
    """Times the model is told of one loop."""
    max_refusals: int | None = 2
    """Refused calls of one loop, after which the next one ends the run; None: it is refused for ever."""
    last_resort: int | None = 25
    """Wasted calls of one critical loop after which the run ends, whatever anybody has allowed; None: never."""
    cooldown_s: float = 0.0
    """Least time between two nudges about one loop."""
    ahead: bool = True
    """Refuse already the call that would complete a critical loop, if it gave what it gave last."""

    def __post_init__(self) -> None:
        _at_least("max_nudges", self.max_nudges, 0)
        _at_least("max_refusals", self.max_refusals, 0)
        _at_least("last_resort", self.last_resort, 1)
        _at_least("cooldown_s", self.cooldown_s, 0)
        for key, action in self.actions.items():
            if not _is_rule(key, action):
                raise ValueError(f"actions has {key!r}: {action!r}; it must map (Kind, Level) to an Action")

    def __call__(self, signal: LoopSignal, run: RunSummary) -> Action:
        """The action for a signal, before the ladder is climbed."""
        told = self.actions.get((signal.kind, signal.level))
        if told is not None:
            return told
        if self.attended or signal.level is Level.WARNING:
            return Action.NUDGE
        return Action.HALT if signal.kind is Kind.BUDGET else Action.BLOCK


def _at_least(name: str, value: float | None, least: int) -> None:
    if value is not None and value < least:
        raise ValueError(f"{name} is {value}; it must be at least {least}")


def _is_rule(key: object, action: object) -> bool:
    """Mappings come from applications, typed or not."""
    if not (isinstance(key, tuple) and len(key) == 2 and isinstance(action, Action)):
        return False
    return isinstance(key[0], Kind) and isinstance(key[1], Level)


AS_TOLD = ResponsePolicy(max_refusals=None, last_resort=None, ahead=False)
"""The ladder for a control hook of the application's own: nothing is done that the hook did not say."""
