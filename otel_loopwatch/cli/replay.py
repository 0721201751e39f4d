"""`otel-loopwatch replay`: the loops in recorded traces, found by the engine that watches live ones."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path

from otel_loopwatch.cli.reading import BadInput, Judged, Reading, hexadecimal, options_of
from otel_loopwatch.cli.report import Report, page
from otel_loopwatch.cli.terminal import Paint, columns
from otel_loopwatch.cli.witness import Witness
from otel_loopwatch.model import Level, LoopSignal

NAME = "replay"
HELP = "find the loops in trace, session and case files"
FOUND = 1
"""Exit code of ``--fail-on``."""
WIDTHS = (34, 5, 9, 15, 26)
HEADINGS = ("run", "call", "level", "kind", "tools", "what")
STYLES = {Level.WARNING: "yellow", Level.CRITICAL: "red"}


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="file of spans, events, messages or cases, told by content"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per signal and line")
    parser.add_argument("--html", metavar="FILE", help="also write the runs as one self-contained page")
    parser.add_argument(
        "--content", action="store_true", help="with --html: put arguments and results into the page, too"
    )
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")
    parser.add_argument(
        "--fail-on", choices=[level.value for level in Level], help="exit with 1 at a signal of this level or above"
    )


def run(args: Namespace) -> int:
    """Read, print as signals are raised, and say by the exit code whether ``--fail-on`` was met."""
    if args.content and not args.html:
        raise BadInput("--content says what --html writes: it needs --html FILE")
    options = options_of(args.config)
    report = Report(options, content=args.content) if args.html else None
    reading = Reading(options, witness=Witness() if report else None)
    levels: Counter[Level] = Counter()
    show: _JsonLines | _Table = _JsonLines() if args.json else _Table()
    for judged in reading.judged(args.paths):
        if report:
            report.add(judged)
        for signal in judged.signals:
            levels[signal.level] += 1
            show.signal(judged, signal)
        for signal in judged.recovered:
            show.recovery(judged, signal)
    show.end(reading, levels)
    if report:
        write(args.html, page(report.data()))
    failing = {None: 0, "warning": levels.total(), "critical": levels[Level.CRITICAL]}
    return FOUND if failing[args.fail_on] else 0


def write(path: str, text: str) -> None:
    """Write a file, or :class:`BadInput`."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


class _JsonLines:
    """Signals for programs; nothing else is printed."""

    def signal(self, judged: Judged, signal: LoopSignal) -> None:
        record: dict[str, object] = {
            "run": signal.run,
            "call": judged.position,
            "kind": signal.kind.value,
            "level": signal.level.value,
            "tools": signal.tools,
            "count": signal.count,
            "period": signal.period,
            "wasted_calls": signal.wasted_calls,
            "reason": signal.reason,
        }
        if signal.span_id:
            record["span_id"] = hexadecimal(signal.span_id)
        print(json.dumps(record, ensure_ascii=False))

    def recovery(self, judged: Judged, signal: LoopSignal) -> None:
        """Told to people only."""

    def end(self, reading: Reading, levels: Counter[Level]) -> None:
        """Programs count for themselves."""


class _Table:
    """Signals and recoveries for people, one line each as they come."""

    def __init__(self) -> None:
        self._paint = Paint.of(sys.stdout)
        self._headed = False

    def signal(self, judged: Judged, signal: LoopSignal) -> None:
        self._row(judged, signal, signal.level.value, STYLES[signal.level], signal.reason)

    def recovery(self, judged: Judged, signal: LoopSignal) -> None:
        self._row(judged, signal, "recovered", "green", "The run moved on.")

    def end(self, reading: Reading, levels: Counter[Level]) -> None:
        if not reading.calls:
            print(reading.nothing_read())
            return
        warnings, criticals = levels[Level.WARNING], levels[Level.CRITICAL]
        print(f"{reading.calls} calls in {reading.runs} runs: {warnings} warnings, {criticals} critical")

    def _row(self, judged: Judged, signal: LoopSignal, level: str, style: str, what: str) -> None:
        if not self._headed:
            self._headed = True
            print(self._paint("bold", next(iter(columns([HEADINGS], WIDTHS)))))
        tools = ", ".join(dict.fromkeys(signal.tools))
        row = (signal.run, str(judged.position), level, signal.kind.value, tools, what)
        print(self._paint(style, next(iter(columns([row], WIDTHS)))))
