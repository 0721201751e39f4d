"""agent-watchdog: each call with its arguments and outcome.

``AgentWatchdog()`` without its timeout, which runs on the real clock: it raises, once, at the third identical call in a
row or when a pattern fills the last 8 calls exactly.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

from agent_watchdog import AgentWatchdog, WatchdogHalt

from ..detector import Call, Fired, Session
from .feeding import arguments_of, outcome_of


class _Session:
    def __init__(self) -> None:
        self._watchdog = AgentWatchdog(timeout_seconds=None)
        self._watch = self._watchdog.watch()
        self._watch.__enter__()  # open as long as the session

    def observe(self, call: Call) -> Fired:
        try:
            with redirect_stdout(StringIO()):  # it prints what it raises
                self._watchdog.record_tool_call(call.tool, arguments_of(call), outcome_of(call))
        except WatchdogHalt:
            return Fired.STOPPED
        return Fired.NOTHING


def start() -> Session:
    """A watchdog of its own."""
    return _Session()
