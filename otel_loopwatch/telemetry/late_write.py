"""Writing onto a span just before it ends, so that every exporter sees it.

An SDK span refuses attributes once ``end()`` has begun: in ``on_end`` it is too late, and before SDK 1.40 there is
nothing in between. So ``end`` of the live span object is shadowed with one that writes first. Public methods only, and
all of the trick is in this file; :func:`works_here` proves it on the SDK at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

Write = Callable[[int | None], None]
"""Gets the end time that was passed to ``end()``, in ns, or None for now."""


def before_end(span: Span, write: Write) -> None:
    """Have ``write`` called once, just before ``span.end()`` ends the span; what ``end`` does stays as it is."""
    span.end = _LateEnd(span, write)  # type: ignore[method-assign]


class _LateEnd:
    """``end`` of one span: writes at its first call, whichever thread makes it, and always ends the span."""

    __slots__ = ("_end", "_pending", "_span")

    def __init__(self, span: Span, write: Write) -> None:
        self._span = span
        self._end = span.end
        self._pending = [write]

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        try:
            write = self._pending.pop()
        except IndexError:
            return self._end(*args, **kwargs)
        self._step_aside()
        try:
            write(args[0] if args else kwargs.get("end_time"))
        finally:
            self._end(*args, **kwargs)

    def _step_aside(self) -> None:
        """Leave no cycle behind, unless somebody shadowed ``end`` before or after us."""
        span = self._span
        if span.end is self and getattr(self._end, "__func__", None) is type(span).end:
            del span.end


class _Seen(SpanProcessor):
    """What an exporter behind this processor would get."""

    def __init__(self) -> None:
        self.values: list[object] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.values.append((span.attributes or {}).get("late"))


class _Probe(SpanProcessor):
    def on_start(self, span: Span, parent_context: object = None) -> None:
        before_end(span, lambda _: span.set_attribute("late", True))


@cache
def works_here() -> bool:
    """Whether a late write is seen by processors registered before and after ours, tried on a private provider."""
    before, after = _Seen(), _Seen()
    try:
        provider = TracerProvider(sampler=ALWAYS_ON, resource=Resource.get_empty(), shutdown_on_exit=False)
        for processor in (before, _Probe(), after):
            provider.add_span_processor(processor)
        with provider.get_tracer(__name__).start_as_current_span("probe"):
            pass
    except Exception:  # noqa: BLE001 - an SDK on which this fails in whatever way is one where it does not work
        return False
    return before.values == after.values == [True]
