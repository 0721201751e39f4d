"""Files through the engine: what `replay` and `calls` share."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.terminal import Progress
from otel_loopwatch.cli.witness import Sight, Witness
from otel_loopwatch.config import load
from otel_loopwatch.detectors import RULES
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import LoopSignal, Observation, ToolCall
from otel_loopwatch.settings import Options
from otel_loopwatch.sources import CallsFile, Records, SpansFile, UnreadableFile, read
from otel_loopwatch.sources.windows import windows
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import RunEnded, Tracked, Tracker, replay

T = TypeVar("T")

MAX_SCOPES = 5
"""Scopes named where a file holds no calls."""


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
    path: str = ""
    """The file."""
    sight: Sight | None = None
    """What the rules saw of the call, where a witness asks them."""


@dataclass(slots=True)
class Reading:
    """Reads files one after the other, each through an engine of its own, and counts what was there."""

    options: Options
    witness: Witness | None = None
    calls: int = 0
    runs: int = 0
    limits: Counter[str] = field(default_factory=Counter)
    """Runs that a limit of their framework ended, by the limit's name."""
    spans: int = 0
    scopes: Counter[str] = field(default_factory=Counter)
    """Spans by instrumentation scope, to say what was there when there were no calls."""
    others: Counter[str] = field(default_factory=Counter)
    """What else was there, by what it is."""

    def judged(self, paths: Sequence[str]) -> Iterator[Judged]:
        """Every call of the files, in their order. Raises :class:`BadInput` at the first file that cannot be used."""
        for path in paths:
            try:
                source = read(path)
                yield from self._of_file(source, path)
            except UnreadableFile as error:
                raise BadInput(str(error)) from None
            _tell_skipped(path, source.records)
            self.others.update(source.records.passed or {f"records of {source.format.name}": source.records.count})

    def _of_file(self, source: SpansFile | CallsFile, path: str) -> Iterator[Judged]:
        progress = Progress(source.records.size)
        engine = Engine(self.options.settings, rules=self.witness.rules if self.witness else RULES.values())
        positions = Positions()
        try:
            for event in self._events(source, progress):
                yield from self._judge(event, engine, positions, path)
        finally:
            progress.close()

    def _events(self, source: SpansFile | CallsFile, progress: Progress) -> Iterator[Tracked]:
        if isinstance(source, CallsFile):
            yield from _watched(source, source.records, progress)
        else:
            tracker = Tracker(run_key=self.options.run_key, ttl_s=self.options.settings.run_ttl_s)
            for window in windows(self._counted(_watched(source, source.records, progress))):
                yield from replay(window, tracker)

    def _judge(self, event: Tracked, engine: Engine, positions: Positions, path: str) -> Iterator[Judged]:
        if isinstance(event, ToolCall):
            self.calls += 1
            seen = engine.observe(event)
            sight = self.witness.take() if self.witness else None
            yield Judged(positions.next(event), seen.signals, seen.recovered, event, seen, path, sight)
        elif isinstance(event, RunEnded):
            self._take_end(event, engine)
        elif signals := engine.observe_turn(event):
            yield Judged(positions.last(event.run), signals, path=path)

    def _take_end(self, event: RunEnded, engine: Engine) -> None:
        if engine.end(event.run) is None:
            return
        self.runs += 1
        if event.limit is not None:
            self.limits[event.limit.value] += 1

    def _counted(self, spans: Iterable[SpanData]) -> Iterator[SpanData]:
        for span in spans:
            self.spans += 1
            self.scopes[span.scope] += 1
            yield span

    def nothing_read(self) -> str:
        """What was there instead, where no calls were found."""
        scopes = ", ".join(name or "(no scope)" for name, _ in self.scopes.most_common(MAX_SCOPES))
        spans = [f"{self.spans} spans of {scopes}"] if self.spans else []
        others = [f"{count} {what}" for what, count in self.others.most_common() if count]
        seen = ", ".join(spans or others) or "no spans either"
        return f"no tool calls: {seen}. `otel-loopwatch doctor` says which instrumentations record tool calls."


class Positions:
    """Numbers the calls of each case or trace, whichever of its agents makes them."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._groups: dict[str, str] = {}

    def next(self, call: ToolCall) -> int:
        """The position of a call that comes now, from 1."""
        group = self._groups[call.run] = call.group or call.run
        self._counts[group] += 1
        return self._counts[group]

    def last(self, run: str) -> int:
        """The position of the call before now in the case or trace of a run; 0 where there was none."""
        return self._counts[self._groups.get(run, run)]


def _tell_skipped(path: str, records: Records) -> None:
    if records.broken_count:
        first = records.broken[0]
        where = f"line {first.line}: " if first.line else ""
        print(f"{path}: {records.broken_count} skipped ({where}{first.reason})", file=sys.stderr)


def _watched(items: Iterable[T], records: Records, progress: Progress) -> Iterator[T]:
    """The items, while the progress line follows the position in the file."""
    for item in items:
        progress.at(records.position)
        yield item


def hexadecimal(number: int | None) -> str | None:
    """A 64-bit id or fingerprint as traces write it; None for what is unknown."""
    return None if number is None else f"{number:016x}"
