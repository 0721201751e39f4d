"""Loopwatch on the tracer provider that is there already, whoever set it up."""

from __future__ import annotations

import inspect
import logging
from threading import Lock
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor

from otel_loopwatch.inside import within
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

_installing = Lock()


def install(provider: object | None = None, **arguments: Any) -> LoopwatchSpanProcessor:
    """Have ``provider``, by default the global one, watched; no processor or exporter of anybody else is removed.

    Works on the SDK's provider, and on those of Logfire, Langfuse, Phoenix and Traceloop once they are set up. The
    ``arguments`` are those of :class:`LoopwatchSpanProcessor`. A provider that is watched already stays as it is.

    :returns: the processor, new or found.
    :raises ValueError: where there is no provider that takes processors, or an argument is wrong.
    """
    target = trace.get_tracer_provider() if provider is None else provider
    if not _takes_processors(target):
        raise ValueError(
            f"provider is {type(target).__qualname__}; it must be a tracer provider of the OpenTelemetry SDK: "
            "set it up first (trace.set_tracer_provider, or your vendor's configure or init)"
        )
    with _installing:
        found = installed(target)
        if found is None:
            found = LoopwatchSpanProcessor(**arguments)
            add_processor(target, found)
        elif arguments:
            log.warning("Loopwatch is on this provider already; ignored: %s", ", ".join(sorted(arguments)))
    return found


def installed(provider: object) -> LoopwatchSpanProcessor | None:
    """The processor of ours on a provider that is still at work, as far as can be seen from outside."""
    ours = (each for each in within(provider) if isinstance(each, LoopwatchSpanProcessor))
    return next((each for each in ours if not each.closed), None)


def _takes_processors(provider: object) -> bool:
    """Whether a processor added here is used: a wrapper (Logfire's) may have nothing inside yet."""
    inner = getattr(provider, "provider", None)
    return hasattr(provider, "add_span_processor") and (inner is None or hasattr(inner, "add_span_processor"))


def add_processor(provider: Any, processor: SpanProcessor) -> None:
    """Phoenix's provider takes an added processor as a replacement of its own exporter, unless told not to."""
    replaces = "replace_default_processor" in inspect.signature(provider.add_span_processor).parameters
    provider.add_span_processor(processor, **({"replace_default_processor": False} if replaces else {}))
