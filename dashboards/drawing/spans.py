"""Spans out of a file of OTLP/JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STATUSES = ("unset", "ok", "error")
INTRINSIC = ("name", "status", "duration")
"""What a span has beside attributes, as TraceQL calls it."""
Attribute = str | float | bool | None


@dataclass(frozen=True, slots=True)
class Span:
    """A span as far as it is asked for; times in seconds."""

    trace: str
    id: str
    parent: str
    """Empty for the root of a trace."""
    name: str
    start: float
    duration: float
    status: str
    attributes: Mapping[str, Attribute]
    resource: Mapping[str, Attribute]

    def read(self, name: str) -> Attribute:
        """An attribute (``span.x``, ``resource.x``, ``.x`` in either) or one of the span's own properties."""
        scope, _, rest = name.partition(".")
        scopes = {"span": (self.attributes,), "resource": (self.resource,), "": (self.attributes, self.resource)}
        own: dict[str, Attribute] = {"name": self.name, "status": self.status, "duration": self.duration}
        if scope not in scopes:
            return own[name]
        return next((each[rest] for each in scopes[scope] if rest in each), None)


def spans_of(path: Path) -> list[Span]:
    """The spans of a file of OTLP/JSON lines: ``{"resourceSpans": [...]}`` each."""
    with path.open(encoding="utf-8") as lines:
        return [span for line in lines if line.strip() for span in _spans(json.loads(line))]


def _spans(message: dict[str, Any]) -> Iterator[Span]:
    for group in message.get("resourceSpans", ()):
        resource = _attributes(group.get("resource", {}).get("attributes", ()))
        for scope in group.get("scopeSpans", ()):
            for read in scope.get("spans", ()):
                yield _span(read, resource)


def _span(read: dict[str, Any], resource: Mapping[str, Attribute]) -> Span:
    start, end = int(read["startTimeUnixNano"]), int(read["endTimeUnixNano"])
    return Span(
        trace=read["traceId"],
        id=read["spanId"],
        parent=read.get("parentSpanId", ""),
        name=read["name"],
        start=start / 1e9,
        duration=(end - start) / 1e9,
        status=STATUSES[read.get("status", {}).get("code", 0)],
        attributes=_attributes(read.get("attributes", ())),
        resource=resource,
    )


def _attributes(read: Sequence[dict[str, Any]]) -> dict[str, Attribute]:
    return {each["key"]: _value(each["value"]) for each in read}


def _value(read: dict[str, Any]) -> Attribute:
    (kind, value), *_ = read.items()
    if kind in ("intValue", "doubleValue"):
        return float(value)
    if kind == "arrayValue":
        return ", ".join(str(_value(each)) for each in value.get("values", ()))
    return value  # type: ignore[no-any-return]
