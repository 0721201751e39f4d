"""Files through the engine: what `replay` and `calls` share."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from otel_loopwatch.cli.terminal import Progress
from otel_loopwatch.config import load
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import LoopSignal, Observation, ToolCall
from otel_loopwatch.settings import Options
from otel_loopwatch.sources import CasesFile, Records, SpansFile, UnreadableFile, read
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import RunEnded, Tracked, Tracker, replay

MAX_SCOPES = 5
"""Scopes named where a file holds no calls."""


class BadInput(Exception):
    """What the user gave cannot be used; the message is one line."""


def options_of(config: str | None) -> Options:
    """The options that hold here, or :class:`BadInput`."""
    try:
        return load(config)
    except ValueError as error:
        raise BadInput(str(error)) from None


@dataclass(frozen=True, slots=True)
class Judged:
    """One step of the reading: a call and what the engine made of it, or signals about a model's turn alone."""

    position: int
    """1-based position of the call in the input order of its case or trace."""
    signals: tuple[LoopSignal, ...]
    recovered: tuple[LoopSignal, ...] = ()
    call: ToolCall | None = None
    observation: Observation | None = None


@dataclass(slots=True)
class Reading:
    """Reads files one after the other through one engine, so that a run may go on from one file to the next."""

    options: Options
    calls: int = 0
    runs: int = 0
    spans: int = 0
    scopes: Counter[str] = field(default_factory=Counter)
    """Spans by instrumentation scope, to say what was there when there were no calls."""
    _positions: dict[str, int] = field(default_factory=dict)

    def judged(self, paths: Sequence[str]) -> Iterator[Judged]:
        """Every call of the files, in their order. Raises :class:`BadInput` at the first file that cannot be used."""
        engine = Engine(self.options.settings)
        tracker = Tracker(run_key=self.options.run_key, ttl_s=self.options.settings.run_ttl_s)
        for path in paths:
            try:
                source = read(path)
                yield from self._of_file(source, engine, tracker)
            except UnreadableFile as error:
                raise BadInput(str(error)) from None
            self._tell_skipped(path, source.records)

    def _of_file(self, source: SpansFile | CasesFile, engine: Engine, tracker: Tracker) -> Iterator[Judged]:
        progress = Progress(source.records.size)
        events = _of_cases(source) if isinstance(source, CasesFile) else replay(self._counted(source), tracker)
        try:
            for event in events:
                progress.at(source.records.position)
                yield from self._judge(event, engine)
        finally:
            progress.close()

    def _judge(self, event: Tracked, engine: Engine) -> Iterator[Judged]:
        if isinstance(event, ToolCall):
            self.calls += 1
            seen = engine.observe(event)
            yield Judged(self._next(event), seen.signals, seen.recovered, event, seen)
        elif isinstance(event, RunEnded):
            self.runs += engine.end(event.run) is not None
        elif signals := engine.observe_turn(event):
            yield Judged(self._positions.get(event.run, 0), signals)

    def _next(self, call: ToolCall) -> int:
        group = call.group or call.run
        position = self._positions[group] = self._positions.get(group, 0) + 1
        return position

    def _counted(self, spans: Iterable[SpanData]) -> Iterator[SpanData]:
        for span in spans:
            self.spans += 1
            self.scopes[span.scope] += 1
            yield span

    @staticmethod
    def _tell_skipped(path: str, records: Records) -> None:
        if records.broken_count:
            first = records.broken[0]
            where = f"line {first.line}: " if first.line else ""
            print(f"{path}: {records.broken_count} skipped ({where}{first.reason})", file=sys.stderr)

    def nothing_read(self) -> str:
        """What was there instead, where no calls were found."""
        scopes = ", ".join(name or "(no scope)" for name, _ in self.scopes.most_common(MAX_SCOPES))
        seen = f"{self.spans} spans of {scopes}" if self.spans else "no spans either"
        return f"no tool calls: {seen}. `otel-loopwatch doctor` says which instrumentations record tool calls."


def _of_cases(source: CasesFile) -> Iterator[Tracked]:
    """Calls of case after case; a case is over with its last call."""
    for _, calls in source:
        yield from calls
        for run in dict.fromkeys(call.run for call in calls):
            yield RunEnded(run, "ended")


def hexadecimal(number: int | None) -> str | None:
    """A 64-bit id or fingerprint as traces write it; None for what is unknown."""
    return None if number is None else f"{number:016x}"
