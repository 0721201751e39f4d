"""unwedge: a turn per call with its command, outcome, failure and the class of its tool, by the words of its name.

``Guard`` with no judge model, which leaves its code tier: a hint at the fourth time of a command that changed nothing,
of one (command, result) or of one failing line, or at a cycle seen 3 times; it escalates after 2 hints and kills on
request only.
"""

from __future__ import annotations

from unwedge.adapters.generic import turn_from_command
from unwedge.guard import Guard
from unwedge.policy import Action
from unwedge.turns import ToolClass

from ..detector import Call, Fired, Session
from .feeding import described, outcome_of
from .naming import Purpose, purpose_of

_CLASSES = {
    Purpose.LOOK: ToolClass.NAVIGATE,
    Purpose.SEARCH: ToolClass.SEARCH,
    Purpose.WRITE: ToolClass.EDIT,
    Purpose.ACT: ToolClass.EDIT,
    Purpose.RUN: ToolClass.RUN,
}


class _Session:
    def __init__(self) -> None:
        self._guard = Guard(goal="", provider=None)
        self._turns = 0

    def observe(self, call: Call) -> Fired:
        self._turns += 1
        turn = turn_from_command(
            self._turns,
            described(call),
            outcome_of(call),
            failed=call.error is not None,
            tool_class=_CLASSES[purpose_of(call.tool)],
        )
        action = self._guard.on_turn(turn).decision.action
        if action is Action.KILL:
            return Fired.STOPPED
        return Fired.NOTHING if action is Action.CONTINUE else Fired.WARNED


def start() -> Session:
    """A guard of its own."""
    return _Session()
