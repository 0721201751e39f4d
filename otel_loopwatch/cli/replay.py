"""`otel-loopwatch replay`: the loops in recorded traces, found by the engine that watches live ones."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.explain import Explanation
from otel_loopwatch.cli.reading import Judged, Reading, hexadecimal, options_of
from otel_loopwatch.cli.report import HtmlFile
from otel_loopwatch.cli.terminal import STYLES, Paint, columns
from otel_loopwatch.cli.witness import Witness
from otel_loopwatch.model import Level, LoopSignal
from otel_loopwatch.settings import Options

NAME = "replay"
HELP = "find the loops in trace, session and case files"
FOUND = 1
"""Exit code of ``--fail-on``."""
WIDTHS = (34, 5, 9, 15, 26)
HEADINGS = ("run", "call", "level", "kind", "tools", "what")


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="file of spans, events, messages or cases, told by content"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per signal (or call) and line")
    parser.add_argument(
        "--explain",
        metavar="RUN",
        help="show one run's calls and what every rule saw; the start of its id will do",
    )
    parser.add_argument("--html", metavar="FILE", help="also write the runs as one self-contained page")
    parser.add_argument(
        "--content", action="store_true", help="with --explain or --html: show arguments and results, too"
    )
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")
    parser.add_argument(
        "--fail-on", choices=[level.value for level in Level], help="exit with 1 at a signal of this level or above"
    )


def run(args: Namespace) -> int:
    """Read, show as it comes, and say by the exit code whether ``--fail-on`` was met."""
    options = options_of(args.config)
    views = list(_views(args, options))
    reading = Reading(options, witness=Witness() if args.explain or args.html else None)
    levels: Counter[Level] = Counter()
    for judged in reading.judged(args.paths):
        levels.update(signal.level for signal in judged.signals)
        for view in views:
            view.take(judged)
    for view in views:
        view.end(reading, levels)
    failing = {None: 0, "warning": levels.total(), "critical": levels[Level.CRITICAL]}
    return FOUND if failing[args.fail_on] else 0


class View(Protocol):
    """One way to show what was judged."""

    def take(self, judged: Judged) -> None:
        """One step of the reading."""

    def end(self, reading: Reading, levels: Counter[Level]) -> None:
        """Everything was read; ``levels`` counts the signals. Raises :class:`BadInput`."""


def _views(args: Namespace, options: Options) -> Iterator[View]:
    if args.content and not (args.explain or args.html):
        raise BadInput("--content says what --explain and --html show: it needs one of them")
    if args.explain:
        yield Explanation(args.explain, options, as_json=args.json, content=args.content)
    else:
        yield _JsonLines() if args.json else _Table()
    if args.html:
        yield HtmlFile(args.html, options, content=args.content)


class _JsonLines:
    """Signals for programs; nothing else is printed."""

    def take(self, judged: Judged) -> None:
        for signal in judged.signals:
            print(json.dumps(self._record(judged, signal), ensure_ascii=False))

    def end(self, reading: Reading, levels: Counter[Level]) -> None:
        """Programs count for themselves."""

    def _record(self, judged: Judged, signal: LoopSignal) -> dict[str, object]:
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
        return record


class _Table:
    """Signals and recoveries for people, one line each as they come."""

    def __init__(self) -> None:
        self._paint = Paint.of(sys.stdout)
        self._headed = False

    def take(self, judged: Judged) -> None:
        for signal in judged.signals:
            self._row(judged, signal, signal.level.value, STYLES[signal.level], signal.reason)
        for signal in judged.recovered:
            self._row(judged, signal, "recovered", "green", "The run moved on.")

    def end(self, reading: Reading, levels: Counter[Level]) -> None:
        if not reading.calls:
            print(reading.nothing_read())
            return
        warnings, criticals = levels[Level.WARNING], levels[Level.CRITICAL]
        print(f"{reading.calls} calls in {reading.runs} runs: {warnings} warnings, {criticals} critical")
        if reading.limits:
            named = ", ".join(f"{count} {limit}" for limit, count in reading.limits.most_common())
            print(f"ended by a limit of the framework: {named}")

    def _row(self, judged: Judged, signal: LoopSignal, level: str, style: str, what: str) -> None:
        if not self._headed:
            self._headed = True
            print(self._paint("bold", next(iter(columns([HEADINGS], WIDTHS)))))
        tools = ", ".join(dict.fromkeys(signal.tools))
        row = (signal.run, str(judged.position), level, signal.kind.value, tools, what)
        print(self._paint(style, next(iter(columns([row], WIDTHS)))))
