"""`otel-loopwatch doctor --live`: a looping run through the application's own provider, and what its exporters get."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Span

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.inside import exporters
from otel_loopwatch.installation import install, installed
from otel_loopwatch.scenarios import Scenario, Step
from otel_loopwatch.scripted import play
from otel_loopwatch.settings import ContentPolicy
from otel_loopwatch.telemetry import names

AGENT = "loopwatch-doctor"
TOOL = "look_up"
CALLS = 4
FLUSH_MS = 10_000


@dataclass(frozen=True, slots=True)
class Reached:
    """What one exporter got of the run."""

    exporter: str
    spans: int
    loops: int
    """Spans that say that a loop was detected."""
    content: bool
    """The planted argument was among them."""
    accepted: bool
    """Every export succeeded."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What became of the run."""

    provider: str
    registered: bool
    """Loopwatch was on the provider already."""
    recorded: bool
    signalled: bool
    content: ContentPolicy
    flushed: bool
    exporters: tuple[Reached, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each thing that is not as it should be."""
        return tuple(self._problems())

    def _problems(self) -> Iterator[str]:
        if not self.registered:
            yield "The application does not put Loopwatch on this provider: it was added for this test."
        if not self.recorded:
            yield "No span was recorded: the sampler drops the trace. LoopwatchSampler shows every trace to Loopwatch."
        elif not self.signalled:
            yield "The spans were recorded and no loop was signalled: is Loopwatch disabled?"
        if not self.exporters:
            yield "The provider has no exporter that can be seen."
        if not self.flushed:
            yield f"The provider did not flush within {FLUSH_MS // 1000} s."
        for each in self.exporters:
            yield from self._of(each)

    def _of(self, reached: Reached) -> Iterator[str]:
        if self.signalled and not reached.spans:
            yield f"{reached.exporter} got nothing: the sampler, or a filter before it, keeps the run from it."
        elif self.signalled and not reached.loops:
            yield f"{reached.exporter} got spans without the loop's attributes."
        if not reached.accepted:
            yield f"{reached.exporter} could not export: is its endpoint up, and does it accept the credentials?"
        if reached.content and self.content is not ContentPolicy.KEEP:
            yield f"{reached.exporter} got an argument in clear although content is {self.content.value}."


def run(target: str) -> SelfTest:
    """Set up ``module:callable`` (empty: nothing), and send a looping run through the provider that is there then."""
    provider = provider_of(target)
    registered = installed(provider) is not None
    try:
        processor = install(provider)
    except ValueError as error:
        raise BadInput(str(error)) from None
    canary = f"canary-{secrets.token_hex(8)}"
    with ExitStack() as stack:
        watches = [stack.enter_context(watched(exporter, canary)) for exporter in exporters(provider)]
        seen = looping_run(provider, canary)
        flushed = provider.force_flush(FLUSH_MS) is not False
    return SelfTest(
        provider=f"{type(provider).__module__}.{type(provider).__qualname__}",
        registered=registered,
        recorded=any(attributes is not None for attributes in seen),
        signalled=any(names.LOOP_DETECTED in attributes for attributes in seen if attributes),
        content=processor.options.content,
        flushed=flushed,
        exporters=tuple(watch.reached() for watch in watches),
    )


def provider_of(target: str) -> Any:
    """What ``target`` gives or is, if that is a provider; else the global one, as the target has set it up."""
    made = _called(target) if target else None
    return made if hasattr(made, "add_span_processor") else trace.get_tracer_provider()


def _called(target: str) -> object:
    module, _, attribute = target.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found: object = import_module(module)
        for name in attribute.split(".") if attribute else ():
            found = getattr(found, name)
        return found() if callable(found) else found
    except Exception as error:  # noqa: BLE001 - the application's own code: whatever it raises is said
        raise BadInput(f"{target}: {type(error).__name__}: {error}") from None


def looping_run(provider: Any, canary: str) -> list[Any]:
    """Play the run, now; returns the attributes of its tool spans, None for what was not recorded."""
    step = Step(TOOL, {"query": canary}, f"There is nothing about {canary} in the whole catalogue.")
    scenario = Scenario("self-test", "the same call again and again", "", (step,) * CALLS, "", agent=AGENT)
    seen: list[Any] = []

    def note(number: int, step: Step, span: Span) -> None:
        seen.append(getattr(span, "attributes", None))

    start_ns = time.time_ns() - int((CALLS + 1) * step.after_s * 1e9)
    play(provider.get_tracer("otel_loopwatch.doctor"), scenario, after_call=note, start_ns=start_ns)
    return seen


class Watch:
    """Stands before one exporter and counts what passes, when it passes: some spans change afterwards."""

    def __init__(self, exporter: SpanExporter, canary: str) -> None:
        self._name = type(exporter).__qualname__
        self._export = exporter.export
        self._canary = canary
        self._spans = self._loops = self._clear = 0
        self._accepted = True

    def __call__(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """As ``export``."""
        for span in filter(_is_ours, spans):
            attributes = dict(span.attributes or {})
            self._spans += 1
            self._loops += names.LOOP_DETECTED in attributes
            self._clear += self._canary in repr((attributes, [dict(event.attributes or {}) for event in span.events]))
        result = self._export(spans)
        self._accepted &= result is SpanExportResult.SUCCESS
        return result

    def reached(self) -> Reached:
        """What passed of the run."""
        return Reached(self._name, self._spans, self._loops, self._clear > 0, self._accepted)


def _is_ours(span: ReadableSpan) -> bool:
    scope = span.instrumentation_scope
    return scope is not None and scope.name == "otel_loopwatch.doctor"


@contextmanager
def watched(exporter: SpanExporter, canary: str) -> Iterator[Watch]:
    """Note what an exporter gets, for as long as the context lasts."""
    watch = Watch(exporter, canary)
    exporter.export = watch  # type: ignore[method-assign]
    try:
        yield watch
    finally:
        del exporter.export
