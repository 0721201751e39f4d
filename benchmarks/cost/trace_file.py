"""A file of traces as the collector writes it: OTLP/JSON, a line per trace, every call in new words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from .dialects import DIALECTS, Attributes
from .exchanges import Exchange, distinct

CALLS = 25
"""Of each trace, below an agent's span."""
SPANS = CALLS + 1
_START_NS = 1_772_000_000_000_000_000
_STEP_NS = 1_000_000_000


def write(path: Path, size: int, padding: int = 0) -> int:
    """Traces until the file has ``size`` bytes; the number of spans. ``padding`` is added to every result."""
    traces = 0
    with path.open("w", encoding="ascii") as file:
        while file.tell() < size:
            file.write(json.dumps(trace(traces + 1, padding), separators=(",", ":")) + "\n")
            traces += 1
    return traces * SPANS


def trace(number: int, padding: int = 0) -> dict[str, Any]:
    """One agent's work."""
    scope = {"scope": {"name": "benchmark"}, "spans": list(_spans(number, padding))}
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}


def _spans(number: int, padding: int) -> Iterator[dict[str, Any]]:
    genai = DIALECTS["GenAI"]
    for position, one in enumerate(islice(distinct(Random(number)), CALLS), 1):
        padded = Exchange(one.tool, one.arguments, one.result + "." * padding)
        written = genai.written(padded, position)
        yield _span(number, position, written.name, {**written.begun, **written.ended})
    yield _span(number, 0, "invoke_agent agent", genai.agent)


def _span(number: int, position: int, name: str, attributes: Attributes) -> dict[str, Any]:
    """The agent's span has position 0 and encloses the others."""
    start = _START_NS + position * _STEP_NS
    end = start + (_STEP_NS // 2 if position else SPANS * _STEP_NS)
    return {
        "traceId": f"{number:032x}",
        "spanId": _span_id(number, position),
        "parentSpanId": _span_id(number, 0) if position else "",
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": [{"key": key, "value": {"stringValue": str(value)}} for key, value in attributes.items()],
        "status": {},
    }


def _span_id(number: int, position: int) -> str:
    return f"{number * SPANS + position + 1:016x}"
