"""The span processor: the SDK's spans in, everything else out. The only place that deals with live spans."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import ref

from opentelemetry.context import Context
from opentelemetry.metrics import MeterProvider
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from otel_loopwatch import config as configuration
from otel_loopwatch.control.hook import ControlHook, Decision, Elsewhere, elsewhere, resolve_hook
from otel_loopwatch.control.identity import RunIdentity
from otel_loopwatch.control.report import StopReport
from otel_loopwatch.control.run import Home, watchers
from otel_loopwatch.control.webhook import Webhook, webhook_for
from otel_loopwatch.dialects import limit_of
from otel_loopwatch.digests import Digests
from otel_loopwatch.engine import Engine
from otel_loopwatch.isolation import Guarded, guarded
from otel_loopwatch.live import MAX_OPEN, LiveSpan, OpenSpans, reader
from otel_loopwatch.model import LoopSignal, ModelTurn, RunSummary, ToolCall
from otel_loopwatch.reaction import Place, Reaction
from otel_loopwatch.settings import ContentPolicy, Enforcement, Options
from otel_loopwatch.start import NEVER_RAISE_INTO, ToolNames, may_matter
from otel_loopwatch.telemetry import late_write, names
from otel_loopwatch.telemetry.metrics import metrics_for
from otel_loopwatch.telemetry.withhold import Withholding, withholding
from otel_loopwatch.tracker import Tracked, Tracker
from otel_loopwatch.tracker.runs import trace_key

log = logging.getLogger(names.SCOPE)

SWEEPS_PER_TTL = 8
"""How often, within the time to live, what is too old is looked for."""
TIDIED_AT = 256
"""One ordinary span in this many looks for what is too old; the others do not look at the clock."""
LAST_DELIVERIES_S = 5.0
"""For stop reports that are on their way at the shutdown."""


class LoopwatchSpanProcessor(Guarded, SpanProcessor):
    """Watches the tool calls among the spans of a provider for loops.

    ``provider.add_span_processor(LoopwatchSpanProcessor())`` is all it takes, before or after the exporters. The
    arguments are those of the table of parameters (``otel_loopwatch.config``), which also says which environment
    variables and keys of the YAML file ``config`` set them; ``options`` gives them ready made instead.

    ``control_hook`` is asked about every signal: a callable, or the name of a built-in one (``observe``, ``dry_run``,
    ``halt``). Where it knows of halts that were decided elsewhere, ``current_run()`` and the enforcement do, too.
    ``meter_provider`` defaults to the global one, also if that is set later. ``clock`` gives ns since the epoch.

    :raises ValueError: naming the argument, its value and the rule it breaks.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        control_hook: ControlHook | str | None = None,
        meter_provider: MeterProvider | None = None,
        config: str | None = None,
        clock: Callable[[], int] = time.time_ns,
        **arguments: Any,
    ) -> None:
        super().__init__()
        self.options = options or configuration.load(config, **arguments)
        self._hook = resolve_hook(self.options.control.value if control_hook is None else control_hook)
        self._elsewhere = elsewhere(self._hook)
        self._clock = clock
        self._raises = self.options.enforcement is Enforcement.RAISE
        self._ttl_ns = int(self.options.settings.run_ttl_s * 1e9)
        self.writes_own_span = late_write.works_here()
        """Whether attributes reach a call's own span; if not, only the agent's span is marked."""
        self.enabled = not self.options.disabled
        self.closed = False
        """Whether it was shut down."""
        self.webhook: Webhook | None = None
        """Where it has stop reports delivered."""
        self._start_afresh()
        if self.enabled:
            self._begin(meter_provider)
        elif self.options.content is not ContentPolicy.KEEP:
            log.warning("Loopwatch is disabled: arguments, results and messages are exported as they are captured")

    def _begin(self, meter_provider: MeterProvider | None) -> None:
        self._metrics = metrics_for(meter_provider)
        self._metrics.attach(self, self.options.max_tool_names)
        digests = Digests(self.options.digest_key)
        self.webhook = webhook_for(self.options.webhook)
        self._reaction = Reaction(self._hook, self._metrics, digests, self.webhook)
        self._withhold = withholding(self.options.content, digests)
        watchers.add(self)
        if not self.writes_own_span:
            log.warning("Attributes cannot be written onto ending spans with this SDK: only agent spans are marked")

    def _start_afresh(self) -> None:
        """Empty state behind fresh locks: at the start, in a forked child, after shutdown."""
        settings = self.options.settings
        self._engine = Engine(settings, on_evicted=self._evicted)
        self._tracker = Tracker(
            run_key=self.options.run_key,
            max_traces=settings.max_runs,
            ttl_s=settings.run_ttl_s,
            reader=reader(settings.max_value_bytes),
        )
        self._open = OpenSpans(self._ttl_ns)
        self._tool_names = ToolNames()
        self._sweep_at = 0

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """A span starts. Raises ``LoopHalted`` where the owner chose so, and nothing else."""
        if not self.enabled:
            return
        try:  # as ``guarded`` does, which costs 0.3 us more
            if may_matter(span):
                self._look_at(span)
            elif not self._lay_down(span):
                self._look_at(span, ordinary=True)
        except Exception as error:  # noqa: BLE001 - it must not reach the application
            self.failed("on_start", error)

    def _lay_down(self, span: Span) -> bool:
        """Whether an ordinary span needs no look for now. Most do not: this is all there is to their start.

        Ids are read by their places in the tuple, which costs a quarter of what it costs by name.
        """
        context = span.context
        if context is None or self._withhold is not None or self._tracker.follows(context[0]):
            return False
        asleep, span_id = self._open.asleep, context[1]
        if len(asleep) >= MAX_OPEN or not span_id % TIDIED_AT:
            self._tidy(self._clock())
        asleep[span_id] = ref(span)
        return True

    def _look_at(self, span: Span, ordinary: bool = False) -> None:
        now = self._clock()
        self._tidy(now)
        live = LiveSpan(span, now)
        live.ordinary = ordinary
        if self._raises:
            self._refuse_if_halted(live)
        if live.parent_id in self._open.asleep:
            self._wake(live.parent_id, now)
        self._open.add(live)
        if self._withhold is not None or not ordinary:
            self._write_late(live)
        self._tracker.start(live)
        live.open()

    def _wake(self, span_id: int, now: int) -> None:
        for live in self._open.wake(span_id, now):
            self._tracker.start(live)
            live.open()
            if not live.is_open:
                self._tracker.forget(live.trace_id, live.span_id)

    def _write_late(self, live: LiveSpan) -> None:
        if self.writes_own_span and not live.late and (span := live.span) is not None:
            live.late = True
            late_write.before_end(span, partial(self._ending, span, live))

    def _ending(self, span: Span, live: LiveSpan, end_ns: int | None) -> None:
        """A span is about to end, and still takes attributes. Its content is withheld whatever becomes of the rest."""
        try:
            self._judge(span, live, end_ns)
        finally:
            if self._withhold is not None and span.is_recording():
                self._take_content_off(self._withhold, span, live)

    def _take_content_off(self, withhold: Withholding, span: Span, live: LiveSpan) -> None:
        try:
            withhold(span, self._open.in_agents_work(live))
        except Exception as error:  # noqa: BLE001 - it must not reach the application
            self.failed("content", error)

    @guarded
    def _judge(self, span: Span, live: LiveSpan, end_ns: int | None) -> None:
        self._open.pop(live.span_id)
        if span.is_recording():
            self._finish(live, end_ns)

    def on_end(self, span: ReadableSpan) -> None:
        """A span has ended: one that needed no late write, or could get none."""
        if not self.enabled:
            return
        try:
            context = span.context
            if context is not None and self._open.asleep.pop(context[1], None) is None:
                self._has_ended(span, self._open.pop(context.span_id))
        except Exception as error:  # noqa: BLE001 - it must not reach the application
            self.failed("on_end", error)

    def _has_ended(self, span: ReadableSpan, live: LiveSpan | None) -> None:
        if live is not None:
            self._finish(live, span.end_time)
        if self._withhold is not None and self._withhold.escaped(span):
            scope = span.instrumentation_scope.name if span.instrumentation_scope is not None else ""
            self.warn_once(
                "content", scope, "Content of a span of %r got out: it had started before Loopwatch was added"
            )

    def _finish(self, live: LiveSpan, end_ns: int | None) -> None:
        live.finish(end_ns or self._clock())
        events = self._tracker.end(live)
        if self._raises and not live.ordinary:
            self._tool_names.learn(live, events)
        for event in events:
            self._take(event, live)
        if live.run is not None and not live.run.ended and (summary := self._engine.summary(live.run.key)) is not None:
            self._reaction.to_pause(summary, live, limit_of(live))

    @guarded
    def _take(self, event: Tracked, live: LiveSpan | None = None) -> None:
        """Judge one event; ``live`` is the span that told of it and is about to end."""
        if isinstance(event, ToolCall):
            self._reaction.to_call(event, self._engine.observe(event), self._place(event, live), self._summary)
        elif isinstance(event, ModelTurn):
            for signal in self._engine.observe_turn(event):
                self._reaction.to_signal(signal, self._summary(signal), self._place(event, live))
        elif (summary := self._engine.end(event.run)) is not None:
            if event.reason == "ended":
                self._reaction.to_end(summary, live, event.limit)
            else:
                self._metrics.evicted(event.reason)

    def _place(self, event: ToolCall | ModelTurn, live: LiveSpan | None) -> Place:
        """Where it is written down: a call's own span may not be the one that told of it."""
        own = live
        if isinstance(event, ToolCall) and (live is None or event.span_id != live.span_id):
            own = self._open.get(event.span_id)
        parent_id = live.parent_id if live is not None else 0
        home = self._open.home(event.scope_span_id, parent_id, event.run)
        if home is not None and not home.late:
            self._write_late(home)
        return Place(own or live, own, home)

    def _summary(self, signal: LoopSignal) -> RunSummary:
        return self._engine.summary(signal.run) or RunSummary(run=signal.run)

    def _refuse_if_halted(self, live: LiveSpan) -> None:
        for above in self.around(live.parent_id):
            if above.run is None or not above.run.halted or not self._tool_names.is_tool(live):
                continue
            if live.scope not in NEVER_RAISE_INTO:
                above.run.raise_if_halted()
            self.warn_once("enforcement", live.scope, "Not raised into %s, which would not stop: halt it otherwise")

    def _tidy(self, now: int) -> None:
        """Now and then, drop what is too old; at the limit, what is oldest."""
        dropped = self._open.make_room(now)
        if now >= self._sweep_at:
            self._sweep_at = now + self._ttl_ns // SWEEPS_PER_TTL
            dropped += self._open.sweep(now)
            for ended in self._tracker.expire(now):
                self._take(ended)
        for span in dropped:
            self._tracker.forget(span.trace_id, span.span_id)

    def _evicted(self, reason: str, run: RunSummary) -> None:
        self._metrics.evicted(reason)

    @property
    def live_runs(self) -> int:
        """Runs remembered at the moment."""
        return len(self._engine)

    @property
    def capacity(self) -> int:
        """Runs that can be remembered at once."""
        return self.options.settings.max_runs

    @property
    def model_calls(self) -> int:
        """Model spans seen."""
        return self._tracker.model_calls

    @property
    def skipped(self) -> Mapping[str, int]:
        """Spans and calls that were not judged, by reason."""
        return self._tracker.skipped

    def around(self, span_id: int) -> Sequence[LiveSpan]:
        """The open span of this id and those around it, from the inside out."""
        spans = tuple(self._open.around(span_id))
        if self._elsewhere is not None:
            self._hear(self._elsewhere, spans)
        return spans

    @guarded
    def _hear(self, elsewhere: Elsewhere, spans: Sequence[LiveSpan]) -> None:
        """Take in what was decided elsewhere about the runs that live in these spans."""
        for span in spans:
            if span.run is None:
                continue
            summary = self._engine.summary(span.run.key) or RunSummary(run=span.run.key)
            identity = RunIdentity((span.run.key,), trace_key(span.trace_id), summary.agent)
            decision = elsewhere.decided(identity)
            if decision is not None:
                self._reaction.to_decision(decision, summary, span)

    @guarded
    def progressed(self, run: str, version: int) -> None:
        """The application declared progress of a run."""
        self._engine.progress(run, version)

    @guarded
    def acted(self, signal: LoopSignal, decision: Decision, homes: Sequence[Home]) -> None:
        """A gate did something about the run in the nearest of these spans that one lives in."""
        if (home := self._lived_in(homes)) is not None:
            self._reaction.to_act(signal, decision, home)

    @guarded
    def halted(self, signal: LoopSignal | None, report: StopReport, homes: Sequence[Home]) -> None:
        """A gate halted that run, for a loop or because it was told to."""
        if (home := self._lived_in(homes)) is not None:
            self._reaction.to_halt(signal, report, home)

    def _lived_in(self, homes: Sequence[Home]) -> LiveSpan | None:
        home = next((home for home in homes if home.run is not None), None)
        if not isinstance(home, LiveSpan):
            return None
        self._write_late(home)
        return home

    def shutdown(self) -> None:
        """Judge what still waits, then stop watching. Spans still open end as if we had never been there."""
        self._close()
        self.enabled = False
        self.closed = True
        watchers.discard(self)
        self._start_afresh()
        if self.webhook is not None:
            self.webhook.flush(LAST_DELIVERIES_S)

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """True: nothing is held back."""
        return True

    @guarded
    def _close(self) -> None:
        for event in self._tracker.flush():
            self._take(event)
        self._metrics.evicted(names.SHUTDOWN, self.live_runs)
        self._metrics.detach(self)

    def _after_fork(self) -> None:
        """In the child: the parent's runs are the parent's."""
        if self.enabled:
            self._start_afresh()
            self._metrics.reset()


def _after_fork_in_child() -> None:
    for watcher in tuple(watchers):
        if isinstance(watcher, LoopwatchSpanProcessor):
            watcher._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
