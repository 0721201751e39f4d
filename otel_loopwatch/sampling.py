"""A sampler behind which every trace is watched, while exporters still get what the sampler inside it lets through.

A span that is dropped is shown to no span processor at all; one that is recorded but not sampled is shown to all of
them, and processors that export pass it over (OpenTelemetry specification, trace SDK, "Sampling").
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from weakref import WeakSet

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, ParentBased, Sampler, SamplingResult, TraceIdRatioBased
from opentelemetry.trace import Link, SpanKind
from opentelemetry.trace.span import TraceState
from opentelemetry.util.types import Attributes

MAX_LOOPING = 4096
"""Looping traces remembered, the latest ones: 0.2 kB each."""


class LoopwatchSampler(Sampler):
    """Asks ``inner``, and has recorded what it would drop: ``LoopwatchSampler(ParentBased(TraceIdRatioBased(0.01)))``.

    With ``export_loops`` the spans of a trace that start after a loop was signalled in it are exported as well.
    Earlier ones are not: whether a span is sampled is fixed when it starts, so the agent's own span stays behind.
    """

    def __init__(self, inner: Sampler, *, export_loops: bool = False) -> None:
        self._inner = inner
        self._looping: OrderedDict[int, None] = OrderedDict()
        self._lock = Lock()
        if export_loops:
            exporting.add(self)

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """The decision of ``inner``, but nothing is dropped."""
        inner = self._inner.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)
        if inner.decision is Decision.RECORD_AND_SAMPLE:
            return inner
        decision = Decision.RECORD_AND_SAMPLE if trace_id in self._looping else Decision.RECORD_ONLY
        return SamplingResult(decision, attributes, inner.trace_state)

    def get_description(self) -> str:
        """As samplers describe themselves."""
        return f"LoopwatchSampler{{{self._inner.get_description()}}}"

    def looping(self, trace_id: int) -> None:
        """A loop was signalled in this trace."""
        with self._lock:
            self._looping[trace_id] = None
            self._looping.move_to_end(trace_id)
            if len(self._looping) > MAX_LOOPING:
                self._looping.popitem(last=False)


exporting: WeakSet[LoopwatchSampler] = WeakSet()
"""The samplers of this process that want to know of loops."""


def tell_samplers(trace_id: int) -> None:
    """A loop was signalled in this trace: from now on its spans are exported, where that was asked for."""
    for sampler in tuple(exporting):
        sampler.looping(trace_id)


def by_ratio(argument: str | None) -> Sampler:
    """``OTEL_TRACES_SAMPLER=loopwatch``: around ``parentbased_traceidratio`` of ``OTEL_TRACES_SAMPLER_ARG``.

    Without an argument every trace is sampled. :raises ValueError: where it is no number from 0 to 1.
    """
    return LoopwatchSampler(_ratio(argument))


def by_ratio_with_loops(argument: str | None) -> Sampler:
    """``OTEL_TRACES_SAMPLER=loopwatch_export_loops``: the same with ``export_loops``."""
    return LoopwatchSampler(_ratio(argument), export_loops=True)


def _ratio(argument: str | None) -> Sampler:
    try:
        return ParentBased(TraceIdRatioBased(float(argument) if argument else 1.0))
    except ValueError:
        raise ValueError(f"OTEL_TRACES_SAMPLER_ARG is {argument!r}; it must be a number from 0 to 1") from None
