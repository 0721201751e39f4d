"""The spans of a guarded run, as the GenAI conventions have them: the agent's, and one per executed call.

Source: OpenTelemetry semantic conventions for generative AI, ``invoke_agent`` and ``execute_tool`` (development).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.trace import (
    Span,
    Status,
    StatusCode,
    Tracer,
    get_current_span,
    set_span_in_context,
    use_span,
)

from otel_loopwatch.canonical import exact, text_of
from otel_loopwatch.digests import Digests
from otel_loopwatch.guard.classify import Came
from otel_loopwatch.guard.kinds import ResultKind
from otel_loopwatch.masking import mask
from otel_loopwatch.telemetry import names

FAILURES = (ResultKind.RETRYABLE, ResultKind.PRECONDITION, ResultKind.FATAL)


class Spans:
    """Makes them. Without ``keep_content``, digests of arguments and results stand in their place."""

    def __init__(self, tracer: Tracer, digests: Digests, keep_content: bool, clock: Callable[[], int]) -> None:
        self._tracer = tracer
        self._digests = digests
        self._keep = keep_content
        self._clock = clock
        self._agent: Span | None = None

    @contextmanager
    def agent(self, name: str) -> Iterator[Span]:
        """The span around the run, current while it lasts."""
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        self._agent = self._tracer.start_span(f"invoke_agent {name}", start_time=self._clock(), attributes=attributes)
        with self._current(self._agent):
            yield self._agent

    @contextmanager
    def call(self, tool: str, arguments: object, call_id: str) -> Iterator[Span]:
        """The span of a call, current while it lasts."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            names.TOOL_NAME: tool,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": self._arguments(arguments),
        }
        span = self._tracer.start_span(
            f"execute_tool {tool}", self._around(), start_time=self._clock(), attributes=attributes
        )
        with self._current(span):
            yield span

    def came(self, span: Span, came: Came) -> None:
        """What came of a call."""
        span.set_attribute(names.CALL_OUTCOME, came.outcome.value)
        if came.value is not None:
            span.set_attribute("gen_ai.tool.call.result", self._result(came.value))
        if came.kind in FAILURES:
            told = self._keep and came.error is not None
            span.set_status(Status(StatusCode.ERROR, str(came.error) if told else came.kind.value))
            span.set_attribute(names.ERROR_TYPE, type(came.error).__qualname__ if came.error else came.kind.value)

    @contextmanager
    def _current(self, span: Span) -> Iterator[None]:
        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                yield
        finally:
            span.end(self._clock())

    def _around(self) -> Context | None:
        """Of a call in a thread that knows of no span: the agent's."""
        if self._agent is None or get_current_span().get_span_context().is_valid:
            return None
        return set_span_in_context(self._agent)

    def _arguments(self, arguments: object) -> str:
        canonical = exact(arguments)[1].decode("utf-8", "surrogatepass")
        return canonical if self._keep else self._digests.of(canonical)

    def _result(self, value: object) -> str:
        """A digest of the result without what changes from call to call."""
        text = text_of(value)
        return text if self._keep else self._digests.of(mask(text))


def arguments_digest(arguments: object, volatile: frozenset[str], identity: frozenset[str]) -> str:
    """What the ledger compares: spelling and order of the arguments apart."""
    return Digests().of(exact(arguments, volatile, identity)[1])
