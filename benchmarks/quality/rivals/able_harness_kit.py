"""able-harness-kit: its recommended middleware, wrapped around each call, is handed the outcome as a ToolMessage.

``ProgressAwareLoopGuardMiddleware()``: the third call of a tool in a row with the same arguments and the same content
has its result replaced by a directive, which counts as stopped.
"""

from __future__ import annotations

import logging

from able_harness_kit import ProgressAwareLoopGuardMiddleware

from ..detector import Call, Fired, Session
from .langchain import message_of, request_of

logging.getLogger("able_harness_kit").addHandler(logging.NullHandler())  # its log says what the message says


class _Session:
    def __init__(self) -> None:
        self._guard = ProgressAwareLoopGuardMiddleware()

    def observe(self, call: Call) -> Fired:
        message = message_of(call)
        shown = self._guard.wrap_tool_call(request_of(call), lambda _: message)
        return Fired.NOTHING if shown is message else Fired.STOPPED


def start() -> Session:
    """A middleware of its own."""
    return _Session()
