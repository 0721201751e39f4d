"""What the tests of all dialects share: a row of a table, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from otel_loopwatch.dialects import Role, read_call, role
from otel_loopwatch.spans import SpanData, SpanEvent

ARGUMENTS = {"city": "Oslo", "days": 2}
TEXT = json.dumps(ARGUMENTS)
EXCEPTION = SpanEvent("exception", {"exception.type": "TimeoutError", "exception.message": "no answer"})


class Row(NamedTuple):
    """A span, and the fields of the call it must be read as."""

    case: str
    attributes: Mapping[str, Any]
    expected: Mapping[str, Any]
    name: str = "execute_tool weather"
    events: Sequence[SpanEvent] = ()
    failed: bool = False
    status: str = ""

    @property
    def span(self) -> SpanData:
        """The span of the row."""
        return SpanData(
            name=self.name,
            attributes=self.attributes,
            events=self.events,
            failed=self.failed,
            status_message=self.status,
        )

    def read(self) -> dict[str, Any]:
        """The expected fields as they are read."""
        call = read_call(self.span)
        return {field: getattr(call, field) for field in self.expected}

    def role_read(self) -> Role:
        """The role as it is read."""
        return role(self.span)


def case(row: Row) -> str:
    """Name of a row among the parameters of a test."""
    return row.case
