"""langchain-tool-recover: its middleware, wrapped around each call, is handed the outcome as a ToolMessage.

``ToolRecoverMiddleware()``: the second call with the same arguments anywhere in a run is logged, the third is answered
by a message in its place, later ones are blocked. What it does about single failures and empty results is no verdict on
loops.
"""

from __future__ import annotations

import logging
from contextlib import suppress

from langchain_core.messages import ToolMessage
from langchain_tool_recover import ToolRecoverMiddleware
from langchain_tool_recover.types import ToolRecoverError
from langgraph.prebuilt.tool_node import ToolCallRequest

from ..detector import Call, Fired, Session
from .langchain import message_of, request_of

_DUPLICATE = " status=duplicate_call"


class _Log(logging.Handler):
    """Hears of a duplicate that is let through, of which only the log tells."""

    def __init__(self) -> None:
        super().__init__()
        self.duplicate = False

    def emit(self, record: logging.LogRecord) -> None:
        self.duplicate = self.duplicate or record.getMessage().endswith(_DUPLICATE)


class _Session:
    def __init__(self) -> None:
        self._log = _Log()
        self._guard = ToolRecoverMiddleware(enable_logging=False)
        self._guard.logger = logging.Logger("scoreboard")  # noqa: LOG001 - of this session only
        self._guard.logger.addHandler(self._log)

    def observe(self, call: Call) -> Fired:
        self._log.duplicate = False
        made: list[Call] = []

        def handler(_: ToolCallRequest) -> ToolMessage:
            made.append(call)
            return message_of(call)

        with suppress(ToolRecoverError):
            self._guard.wrap_tool_call(request_of(call), handler)
        if not made:
            return Fired.STOPPED
        return Fired.WARNED if self._log.duplicate else Fired.NOTHING


def start() -> Session:
    """A middleware of its own."""
    return _Session()
