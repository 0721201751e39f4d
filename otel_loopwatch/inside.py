"""What a tracer provider holds: seen from outside, through the wrappers of vendors, and never changed."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from opentelemetry.sdk.trace.export import SpanExporter

MAX_LAYERS = 8
"""Wrappers looked through, from a provider to its innermost exporter."""
PROCESSORS = ("provider", "_active_span_processor", "_span_processors", "processor", "_processor", "span_processor")
EXPORTERS = ("span_exporter", "_exporter", "exporter")
"""Where providers, processors and their wrappers (the SDK's, Logfire's, Langfuse's, Phoenix's) hold what they wrap."""


def within(outer: object, layers: int = MAX_LAYERS) -> Iterator[object]:
    """A provider or processor and everything that it wraps, down to the exporters; what these wrap is theirs."""
    yield outer
    if layers and not isinstance(outer, SpanExporter):
        for inner in _inner(outer):
            yield from within(inner, layers - 1)


def exporters(provider: object) -> list[SpanExporter]:
    """The exporters of a provider, each once."""
    found = [each for each in within(provider) if isinstance(each, SpanExporter)]
    return list({id(each): each for each in found}.values())


def _inner(outer: object) -> Iterator[object]:
    for name in (*PROCESSORS, *EXPORTERS):
        inner = getattr(outer, name, None) if inspect.getattr_static(outer, name, None) is not None else None
        for each in inner if isinstance(inner, (tuple, list)) else (inner,):
            if each is not None and each is not outer:
                yield each
