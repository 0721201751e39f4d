"""Finished spans in, judged steps out: the tracker and the engine of the live processor, for spans from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import RunSummary, ToolCall
from otel_loopwatch.settings import Options
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.stream.state import TraceState, packed, unpacked
from otel_loopwatch.tracker import RunEnded, Tracked, Tracker
from otel_loopwatch.tracker.replay import go_on
from otel_loopwatch.tracker.runs import trace_key


class StreamWatch:
    """Judges the runs in spans that come as they ended, children before parents.

    Not thread-safe: one thread feeds it. It has no clock, so the same batches give the same steps, everywhere. A batch
    is sorted by the times of its spans; across batches the order of arrival counts. ``on_evicted(reason, run)`` is
    called for each run that is dropped before its end was seen.
    """

    def __init__(self, options: Options, on_evicted: Callable[[str, RunSummary], None] | None = None) -> None:
        settings = options.settings
        self._engine = Engine(settings, on_evicted=on_evicted)
        self._tracker = Tracker(
            run_key=options.run_key,
            max_traces=settings.max_runs,
            ttl_s=settings.run_ttl_s,
            children_first=True,
        )
        self.follows = self._tracker.follows
        """Whether something that may be an agent's work was seen in a trace, which goes on."""

    def take(self, spans: Iterable[SpanData]) -> Iterator[Seen]:
        """Judge a batch of finished spans, which must be used up; what follows from it in order."""
        return map(self._judged, go_on(spans, self._tracker))

    def expire(self, now_ns: int) -> Iterator[Seen]:
        """Drop the runs of traces that nothing was heard of for the time to live."""
        return map(self._judged, self._tracker.expire(now_ns))

    def flush(self) -> Iterator[Seen]:
        """Calls that still wait for their result or for an outer span, as nothing more will come."""
        return map(self._judged, self._tracker.flush())

    def _judged(self, event: Tracked) -> Seen:
        if isinstance(event, ToolCall):
            seen = self._engine.observe(event)
            return Seen(event, seen.signals, seen, self._engine.summary(event.run))
        if isinstance(event, RunEnded):
            return Seen(event, run=self._engine.end(event.run))
        signals = self._engine.observe_turn(event)
        return Seen(event, signals, run=self._engine.summary(event.run))

    def save(self, trace_id: int) -> bytes | None:
        """All that is known of a trace, or None where that is nothing; see :mod:`otel_loopwatch.stream.state`.

        A run that outlives its traces, keyed by a conversation, is no part of any.
        """
        trace = self._tracker.trace(trace_id)
        if trace is None:
            return None
        return packed(TraceState(trace, self._engine.save_some([trace_key(trace_id), *(trace.alive or ())])))

    def save_all(self) -> Iterator[bytes]:
        """All that is known: every trace as :meth:`save` has it, and every run that outlives its traces.

        Those heard of last come last.
        """
        for trace_id in self._tracker.trace_ids():
            state = self.save(trace_id)
            if state is not None:
                yield state
        for run in self._tracker.keyed_runs():
            yield packed(TraceState(run, self._engine.save_some([run.key])))

    def restore(self, state: bytes) -> None:
        """Go on with a trace, or a run, that was saved. Raises :class:`otel_loopwatch.stream.state.BadState`."""
        trace, runs = unpacked(state)
        if trace is not None:
            self._tracker.resume(trace)
        self._engine.restore(runs)

    def __len__(self) -> int:
        """Live runs."""
        return len(self._engine)

    @property
    def model_calls(self) -> int:
        """Model spans seen."""
        return self._tracker.model_calls

    @property
    def skipped(self) -> Mapping[str, int]:
        """Spans and calls that were not judged, by reason."""
        return self._tracker.skipped
