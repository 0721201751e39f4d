"""aura-guard: asked before each call, told its result or the class of its error after it.

``AgentGuard`` with a key of its own: the third identical call in 12 is answered from a cache or blocked, as are a
sequence of 2 to 4 tools seen 3 times, the fourth like search of a tool it knows for one, and a tool that failed twice
with 401, 403, 429, 5xx, a timeout or a connection error. A second row is told which tools pay, send and the like (by
their names): each may run once.
"""

from __future__ import annotations

from aura_guard import AgentGuard, PolicyAction

from ..detector import Call, Fired, Session
from .failures import failure_class
from .feeding import arguments_of
from .naming import Purpose, purpose_of


class _Session:
    def __init__(self, *, told_of_acts: bool) -> None:
        self._guard = AgentGuard(secret_key=b"scoreboard")
        self._told_of_acts = told_of_acts

    def observe(self, call: Call) -> Fired:
        acts = purpose_of(call.tool) is Purpose.ACT if self._told_of_acts else None
        decision = self._guard.check_tool(call.tool, args=arguments_of(call), side_effect=acts)
        if decision.action is not PolicyAction.ALLOW:
            return Fired.STOPPED
        if call.error is None:
            self._guard.record_result(ok=True, payload=call.result)
        else:
            self._guard.record_result(ok=False, error_code=failure_class(call.error))
        return Fired.NOTHING


def start() -> Session:
    """A guard of its own that takes every tool for one that may be repeated."""
    return _Session(told_of_acts=False)


def start_told_of_acts() -> Session:
    """A guard of its own that knows which tools pay, send and the like."""
    return _Session(told_of_acts=True)
