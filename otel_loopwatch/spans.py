"""A span as the dialects see it, whatever it came from: a live SDK span or a line of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class SpanEvent(NamedTuple):
    """One event of a span."""

    name: str
    attributes: Mapping[str, Any]


class Span(Protocol):
    """What a dialect may ask of a span. Ids are integers as in the SDK, 0 where there is none; times in ns."""

    @property
    def trace_id(self) -> int: ...
    @property
    def span_id(self) -> int: ...
    @property
    def parent_id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def scope(self) -> str:
        """Name of the instrumentation scope."""

    @property
    def attributes(self) -> Mapping[str, Any]: ...
    @property
    def events(self) -> Sequence[SpanEvent]: ...
    @property
    def failed(self) -> bool:
        """Status is ERROR."""

    @property
    def status_message(self) -> str: ...
    @property
    def start_ns(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def service(self) -> str:
        """Name of the service it comes from; empty where that is not known, or this process."""


class SpanData(NamedTuple):
    """A finished span read from a file."""

    trace_id: int = 0
    span_id: int = 0
    parent_id: int = 0
    name: str = ""
    scope: str = ""
    attributes: Mapping[str, Any] = {}
    events: Sequence[SpanEvent] = ()
    failed: bool = False
    status_message: str = ""
    start_ns: int = 0
    end_ns: int = 0
    service: str = ""
