"""Runs of real frameworks beside the repository, to be played into a provider as their spans started and ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, StatusCode, set_span_in_context

from otel_loopwatch.spans import SpanData

SHARED = Path(__file__).parents[2] / "shared"
LOGS = sorted((SHARED / "spans").glob("*.live.json"))
PATHS = [path for log in LOGS if (path := log.with_name(log.name.replace(".live.json", ".json"))).exists()]
"""Files of spans; a log of how they came lies beside each."""


class Step(NamedTuple):
    """A line of a live log: a span starts with these attributes, or ends."""

    starts: bool
    span: int
    attributes: Mapping[str, Any]


def steps(path: Path) -> Iterator[Step]:
    """The live log that belongs to a file of spans, in either of its two forms."""
    log = msgspec.json.decode(path.with_suffix(".live.json").read_bytes())
    for line in log.get("probe", ()):
        yield Step(line["ev"] == "start", int(line["span"], 16), line.get("attributes") or {})
    for what, _, span, _, attributes in log.get("events", ()):
        yield Step(what == "start", int(span, 16), attributes if what == "start" else {})


def play(provider: TracerProvider, spans: Mapping[int, SpanData], log: Iterator[Step]) -> None:
    """Start and end the spans as the log says, with the content of the file."""
    live: dict[int, Span] = {}
    for step in log:
        span = spans.get(step.span)
        if span is not None and step.starts:
            parent = live.get(span.parent_id)
            live[step.span] = provider.get_tracer(span.scope).start_span(
                span.name,
                set_span_in_context(parent, Context()) if parent is not None else Context(),
                attributes=step.attributes,
                start_time=span.start_ns,
            )
        elif span is not None and step.span in live:
            finish(live[step.span], span)
    provider.shutdown()


def finish(live: Span, span: SpanData) -> None:
    """Everything the file knows of a span, then its end."""
    live.set_attributes(dict(span.attributes))
    for event in span.events:
        live.add_event(event.name, dict(event.attributes))
    if span.failed:
        live.set_status(StatusCode.ERROR, span.status_message)
    live.end(span.end_ns)
