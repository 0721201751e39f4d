"""What is known of a trace, or of a run that outlives its traces, as bytes: how its spans stand, and its calls.

The bytes hold digests, tool names and times; what they hold of arguments and results are the words of the last results,
by which volatile parts are told, and calls whose result or outer span has not come.
"""

from __future__ import annotations

import io
import pickle
from collections import deque
from typing import Any, NamedTuple

import msgspec

from otel_loopwatch.dialects import CallContent, Limit, MessageCall, MessageResult, Role
from otel_loopwatch.model import Outcome
from otel_loopwatch.spans import SpanData, SpanEvent
from otel_loopwatch.tracker.merge import Heard
from otel_loopwatch.tracker.messages import Asked, Messages, Response
from otel_loopwatch.tracker.runs import Run
from otel_loopwatch.tracker.siblings import Siblings
from otel_loopwatch.tracker.tree import Node, Trace
from otel_loopwatch.tracker.turns import Turns

_REBUILD: Any = CallContent(tool="", dialect="").__reduce__()[0]
"""How frozen structs are pickled: a function of msgspec."""
_PARTS: tuple[Any, ...] = (
    Trace, Node, Run, Turns, Siblings, Messages, Asked, Response, Heard, SpanData, SpanEvent, CallContent, MessageCall,
    MessageResult, Role, Limit, Outcome, deque, _REBUILD,
)  # fmt: skip
KNOWN = {f"{part.__module__}.{part.__qualname__}": part for part in _PARTS}
"""What a trace is made of."""


class BadState(ValueError):
    """The bytes are no saved trace, or one of another version."""


class TraceState(NamedTuple):
    """A trace, and its runs as the engine saves them."""

    trace: Trace | Run | None
    """A run where it outlives its traces; None where nothing of the spans is left to know."""
    runs: bytes


def packed(state: TraceState) -> bytes:
    """The state as bytes."""
    return msgspec.msgpack.encode((pickle.dumps(state.trace, pickle.HIGHEST_PROTOCOL), state.runs))


def unpacked(data: bytes) -> TraceState:
    """The state anew. What the bytes name is made only if a trace is made of it: they may come from a topic.

    :raises BadState: if they are anything else.
    """
    try:
        trace, runs = msgspec.msgpack.decode(data, type=tuple[bytes, bytes])
        found = _Unpickler(io.BytesIO(trace)).load()
    except Exception as error:  # a damaged pickle raises anything
        raise BadState(f"no saved trace: {error}") from error
    if found is not None and not isinstance(found, Trace | Run):
        raise BadState(f"no saved trace but {type(found).__qualname__}")
    return TraceState(found, runs)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        """One of the known classes."""
        known = KNOWN.get(f"{module}.{name}")
        if known is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a trace")
        return known
