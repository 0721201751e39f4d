"""Takes what users, models and tools said off a span just before it ends, so that no exporter gets it.

Attributes are replaced by public methods. Removing one, and changing an event, is not in the SDK's contract: what does
not work is replaced by an empty text, and :meth:`Withholding.works_here` proves the whole on the SDK at hand.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Status, StatusCode

from otel_loopwatch.dialects.content import EXCEPTION, event_holds_content, holds_content
from otel_loopwatch.digests import PREFIX, Digests
from otel_loopwatch.settings import ContentPolicy
from otel_loopwatch.telemetry.late_write import before_end

Stand = Callable[[object], str | None]
"""Gives what takes a value's place; None for nothing."""


class Withholding:
    """What is done to each span of an application that keeps its content to itself."""

    def __init__(self, policy: ContentPolicy, digests: Digests) -> None:
        self._stand: Stand = digests.of if policy is ContentPolicy.DIGEST else lambda _: None

    def __call__(self, span: Span, of_agent: bool) -> None:
        """Take content off a span that still takes attributes.

        ``of_agent``: it belongs to an agent's work, so that the texts of its errors may hold content, too.
        """
        for key, value in dict(span.attributes or {}).items():
            if holds_content(key):
                self._replace(span, key, value)
                of_agent = True
        for event in span.events:
            self._cover(event, of_agent)
        if of_agent and span.status.status_code is StatusCode.ERROR and span.status.description:
            span.set_status(Status(StatusCode.ERROR, self._stand(span.status.description)))

    def escaped(self, span: ReadableSpan) -> bool:
        """Whether an ended span still holds content in clear."""
        return any(holds_content(key) and not _is_stand(value) for key, value in (span.attributes or {}).items())

    def _replace(self, span: Span, key: str, value: object) -> None:
        stand: str | None = ""
        try:
            stand = self._stand(value)
        finally:
            span.set_attribute(key, stand or "")
        if stand is None:
            attributes: Any = span._attributes
            with contextlib.suppress(Exception):
                del attributes[key]

    def _cover(self, event: Event, of_agent: bool) -> None:
        held = event.attributes or {}
        hidden = [k for k in held if event_holds_content(event.name, k) and (of_agent or k not in EXCEPTION)]
        if hidden:
            event._attributes = self._without(held, hidden)

    def _without(self, held: Any, hidden: Iterable[str]) -> BoundedAttributes:
        kept = {key: value for key, value in held.items() if key not in hidden}
        stands = {key: stand for key in hidden if (stand := self._stand(held[key])) is not None}
        made = BoundedAttributes(attributes=kept | stands, immutable=True)
        made.dropped = getattr(held, "dropped", 0)
        return made

    def works_here(self) -> bool:
        """Whether nothing of a probe's content reaches processors before and after, on a private provider."""
        before, after = _Seen(), _Seen()
        try:
            provider = TracerProvider(sampler=ALWAYS_ON, resource=Resource.get_empty(), shutdown_on_exit=False)
            for processor in (before, _Probe(self), after):
                provider.add_span_processor(processor)
            span = provider.get_tracer(__name__).start_span("probe", attributes={"input.value": PROBE})
            span.record_exception(ValueError(PROBE))
            span.set_status(Status(StatusCode.ERROR, PROBE))
            span.end()
        except Exception:  # noqa: BLE001 - an SDK on which this fails in whatever way is one where it does not work
            return False
        return before.texts == after.texts and len(after.texts) == 1 and PROBE not in after.texts[0]


def _is_stand(value: object) -> bool:
    return isinstance(value, str) and (not value or value.startswith(PREFIX))


def withholding(policy: ContentPolicy, digests: Digests) -> Withholding | None:
    """What the policy asks to be done; None for nothing. Raises ValueError where this SDK does not let it be done."""
    if policy is ContentPolicy.KEEP:
        return None
    made = Withholding(policy, digests)
    if not made.works_here():
        raise ValueError(f"content is {policy.value!r}; it must be keep with this SDK, which lets nothing be taken off")
    return made


PROBE = "content of a probe"


class _Seen(SpanProcessor):
    """All texts an exporter behind this processor would get."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def on_end(self, span: ReadableSpan) -> None:
        events = [dict(event.attributes or {}) for event in span.events]
        self.texts.append(repr((dict(span.attributes or {}), events, span.status.description)))


class _Probe(SpanProcessor):
    def __init__(self, withhold: Withholding) -> None:
        self._withhold = withhold

    def on_start(self, span: Span, parent_context: object = None) -> None:
        before_end(span, lambda _: self._withhold(span, True))
