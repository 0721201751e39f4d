"""One call told by several spans: when two spans tell the same call, and what they tell together."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from otel_loopwatch.dialects import CallContent
from otel_loopwatch.tracker.naming import plain_tool

MAX_ARGUMENTS = 4096
"""Bytes of arguments by which a call is recognised again; longer ones count as unknown there."""


class Heard(NamedTuple):
    """A call as one span told it."""

    content: CallContent
    span_id: int
    start_ns: int
    end_ns: int
    source: str
    """The instrumentation that told it."""
    service: str = ""
    """As of the span."""

    def essence(self) -> Heard:
        """What it takes to recognise the call again, in bounded memory."""
        content = self.content
        arguments = content.arguments if _size(content.arguments) <= MAX_ARGUMENTS else None
        known = CallContent(tool=content.tool, dialect=content.dialect, arguments=arguments)
        return self._replace(content=known)


def _size(value: object) -> int:
    try:
        return len(value) if isinstance(value, str) else len(msgspec.json.encode(value))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return MAX_ARGUMENTS + 1


def one_process(one: str, other: str) -> bool:
    """Whether spans of these services may come from one process; what has no name may come from any."""
    return one == other or not (one and other)


def same_call(one: CallContent, other: CallContent) -> bool:
    """Same tool, and arguments that are not known to differ."""
    return plain_tool(one.tool) == plain_tool(other.tool) and compatible(one.arguments, other.arguments)


def compatible(one: object, other: object) -> bool:
    """Whether two captured values may be the same one: JSON text is compared by what it says."""
    if one is None or other is None or one == other:
        return True
    one, other = _decoded(one), _decoded(other)
    return one == other or _bare(one) == _bare(other)


def _decoded(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return value


def _bare(value: object) -> object:
    """The value of a single argument, which OpenInference writes without its name."""
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value


def merge(outer: CallContent, inner: CallContent) -> CallContent:
    """What both tell: the outer's words first, gaps filled by the inner; failed if either failed."""
    filled = {
        name: getattr(inner, name)
        for name in CallContent.__struct_fields__
        if getattr(outer, name) is None and getattr(inner, name) is not None
    }
    complete = outer.arguments is not None and outer.result is not None
    filled["failed"] = outer.failed or inner.failed
    filled["truncated"] = outer.truncated or (inner.truncated and not complete)
    return msgspec.structs.replace(outer, **filled)
