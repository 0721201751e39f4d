"""trajectory-fuse: asked before each call, told its arguments, outcome and success after it.

``FuseConfig()``: the third identical call in a row, a cycle of 2 to 6 calls seen twice, or 4 failures of one tool with
nearly the same text open the circuit.
"""

from __future__ import annotations

from trajectory_fuse import Action, AgentFuse, DeadlockDetected, FuseConfig

from ..detector import Call, Fired, Session
from .feeding import arguments_of


class _Session:
    def __init__(self) -> None:
        self._fuse = AgentFuse(FuseConfig())

    def observe(self, call: Call) -> Fired:
        arguments = arguments_of(call)
        if self._fuse.check(call.tool, arguments) is not None:
            return Fired.STOPPED
        failed = call.error is not None
        outcome = {"error": call.error} if failed else call.result
        try:
            self._fuse.observe(Action(call.tool, arguments, result=outcome, success=not failed))
        except DeadlockDetected:
            return Fired.STOPPED
        return Fired.NOTHING


def start() -> Session:
    """A fuse of its own."""
    return _Session()
