"""runbound: an event before each call, with a hash of its arguments, and one for a failure, at the times of the case.

``init()`` without options: one action hash 3 times in 20, a cycle of tool names 3 times, or 3 failures of one tool are
logged, ever louder up to 9 repeats; nothing is stopped unless ``on_loop`` says so.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from hashlib import sha256
from typing import Any

from runbound import Anomaly, Event, GuardrailConfig, GuardrailTripped, SessionState
from runbound.engine import Engine

from ..detector import Call, Fired, Session
from .feeding import described

logging.getLogger("runbound").addHandler(logging.NullHandler())  # what it logs is observed, not printed
_KEY = "run"


class _Session:
    def __init__(self) -> None:
        config = GuardrailConfig()
        self._engine = Engine(config, observers=[self])
        self._state = SessionState(_KEY, loop_window=config.loop_window, key=_KEY)
        self._fired = Fired.NOTHING
        self._steps = 0

    def observe(self, call: Call) -> Fired:
        self._fired = Fired.NOTHING
        self._steps += 1
        digest = sha256(described(call).encode()).hexdigest()
        event = Event("tool_call", ts=call.at_ms / 1000, step=self._steps, tool_name=call.tool, args_hash=digest)
        try:
            self._engine.process(self._state, event)
            if call.error is not None:
                failure = replace(event, kind="tool_error", ts=call.end_ns / 1e9, args_hash=None, error=call.error)
                self._engine.process(self._state, failure)
        except GuardrailTripped:
            return Fired.STOPPED
        return self._fired

    def on_event(self, session: SessionState, event: Event) -> None:
        pass

    def on_anomaly(self, session: SessionState, anomaly: Anomaly, reacted: Any) -> None:
        self._fired = Fired.WARNED


def start() -> Session:
    """A session of its own engine."""
    return _Session()
