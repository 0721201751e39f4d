"""Watches the agent under test: the real processor, on the provider that the agent's spans come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from types import TracebackType
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider

from otel_loopwatch import config as configuration
from otel_loopwatch.control.hook import ControlHook, DryRun, resolve_hook
from otel_loopwatch.installation import add_processor
from otel_loopwatch.live import LiveSpan
from otel_loopwatch.model import Action, Kind, Level, LoopSignal, RunSummary, ToolCall
from otel_loopwatch.once import OncePer
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.testing.findings import Findings, Loop, LoopFound, explained
from otel_loopwatch.testing.recording import Content, Recording
from otel_loopwatch.tracker import Tracked


class Witness(LoopwatchSpanProcessor):
    """The processor, which also remembers the calls and the signals. Its metrics go nowhere."""

    def __init__(self, findings: Findings, control_hook: ControlHook | str | None, **arguments: Any) -> None:
        options = configuration.load(arguments.pop("config", None), **arguments)
        hook = resolve_hook(options.control.value if control_hook is None else control_hook)
        self._findings = findings
        super().__init__(options, control_hook=_noted(hook, findings.signalled), meter_provider=NoOpMeterProvider())

    def _take(self, event: Tracked, live: LiveSpan | None = None) -> None:
        if isinstance(event, ToolCall):
            self._findings.called(event)
        super()._take(event, live)


def _noted(hook: ControlHook, note: Callable[[LoopSignal], None]) -> ControlHook:
    """The hook, with each signal noted before it is asked."""

    def ask(signal: LoopSignal, run: RunSummary) -> Action | None:
        note(signal)
        return hook(signal, run)

    return DryRun(ask) if isinstance(hook, DryRun) else ask


class Relay(SpanProcessor):
    """Stands in a provider for the witnesses at work: a processor cannot be taken out of a provider again."""

    def __init__(self) -> None:
        self.witnesses: tuple[Witness, ...] = ()

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """A span starts."""
        for witness in self.witnesses:
            witness.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        """A span has ended."""
        for witness in self.witnesses:
            witness.on_end(span)


def _added(provider: TracerProvider) -> Relay:
    relay = Relay()
    add_processor(provider, relay)
    return relay


_RELAYS: OncePer[TracerProvider, Relay] = OncePer(_added)


@dataclass(frozen=True, slots=True)
class Expected:
    """A loop that a test is about; ``None`` is any."""

    kind: Kind | None
    level: Level | None
    tool: str | None

    def matches(self, loop: Loop) -> bool:
        """Whether it is this loop."""
        return (
            self.kind in (None, loop.signal.kind)
            and self.level in (None, loop.signal.level)
            and (self.tool is None or self.tool in loop.signal.tools)
        )

    def __str__(self) -> str:
        words = (self.level and self.level.value, self.kind and self.kind.value, self.tool and f"of {self.tool}")
        return " ".join(word for word in words if word) or "any"


class Watch:
    """Watches from now on, until it is closed; a context manager that checks at its end.

    ``provider`` defaults to the global one; where the application has set none, one that exports nothing is set.
    ``fail_on`` is the level from which a loop fails the check; ``control_hook`` and the other arguments are those of
    :class:`~otel_loopwatch.LoopwatchSpanProcessor`, and default to what the environment and the YAML file say.

    :raises ValueError: for a wrong argument.
    :raises RuntimeError: where OpenTelemetry or Loopwatch is switched off: nothing would be seen.
    """

    def __init__(
        self,
        provider: TracerProvider | None = None,
        *,
        fail_on: Level | str = Level.WARNING,
        control_hook: ControlHook | str | None = None,
        **arguments: Any,
    ) -> None:
        self._fail_on = Level(fail_on)
        self._findings = Findings()
        self._witness = Witness(self._findings, control_hook, **arguments)
        if not self._witness.enabled:
            raise RuntimeError("OTEL_SDK_DISABLED or OTEL_LOOPWATCH_DISABLED is set: no loop would be seen")
        self._expected: list[Expected] = []
        self._recordings: list[Recording] = []
        self._relays: list[Relay] = []
        self.provider = provider or global_provider()
        """Where the agent's spans must come from; see :meth:`attach` for more than one."""
        self.attach(self.provider)

    @property
    def loops(self) -> list[Loop]:
        """The loops so far."""
        return self._findings.loops

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls so far, as they were read from the spans."""
        return list(self._findings.calls)

    def attach(self, provider: TracerProvider) -> None:
        """Watch this provider, too."""
        relay = _RELAYS(provider)
        if self._witness not in relay.witnesses:
            relay.witnesses += (self._witness,)
            self._relays.append(relay)

    def expect(
        self, kind: Kind | str | None = None, *, level: Level | str | None = None, tool: str | None = None
    ) -> None:
        """A loop of this kind, level and tool belongs to the test: without one the check fails."""
        wanted_kind = None if kind is None else Kind(kind)
        self._expected.append(Expected(wanted_kind, None if level is None else Level(level), tool))

    def record(self, path: str | PathLike[str], *, content: Content | str = Content.DIGEST) -> None:
        """Write all calls into a case file when the watch is closed, for ``otel-loopwatch replay`` and for tests."""
        self._recordings.append(Recording(path, Content(content)))

    def close(self) -> None:
        """Judge what still waits, stop watching, write the recordings."""
        if not self._witness.enabled:
            return
        self._witness.shutdown()
        for relay in self._relays:
            relay.witnesses = tuple(one for one in relay.witnesses if one is not self._witness)
        for recording in self._recordings:
            recording.write(self._findings, self._witness.options.settings)

    def check(self) -> None:
        """Close, then fail for loops nobody expected, and for expected ones that did not form.

        :raises LoopFound: an ``AssertionError``.
        """
        self.close()
        found = self._findings.at_least(self._fail_on)
        unexpected = [loop for loop in found if not any(one.matches(loop) for one in self._expected)]
        if unexpected:
            raise LoopFound(explained(unexpected))
        for one in self._expected:
            if not any(map(one.matches, self.loops)):
                seen = explained(self.loops) or f"none formed in {len(self._findings.calls)} calls"
                raise LoopFound(f"expected a loop ({one}), but {seen}")

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            self.check()
        else:
            self.close()


def global_provider() -> TracerProvider:
    """The application's provider; where it has set none by now, one of ours, which exports nothing."""
    provider: Any = trace.get_tracer_provider()
    if not hasattr(provider, "add_span_processor"):
        provider = TracerProvider(shutdown_on_exit=False)
        trace.set_tracer_provider(provider)
    return provider  # type: ignore[no-any-return]
