"""`otel-loopwatch calls`: what was read from the spans. Shows whether an instrumentation tells enough."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from otel_loopwatch.cli.reading import Judged, Reading, hexadecimal, options_of
from otel_loopwatch.cli.terminal import Paint, columns

NAME = "calls"
HELP = "list the tool calls read from trace, session and case files, as fingerprints"
FIELDS = ("run", "tool", "args", "result", "outcome", "agent", "dialect", "span_id")
WIDTHS = (34, 22, 16, 16, 12, 14, 14)


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="file of spans, events, messages or cases, told by content"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per call and line")
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")


def run(args: Namespace) -> int:
    """Read and print the calls as they come."""
    reading = Reading(options_of(args.config))
    known = {"args": 0, "result": 0}
    paint = Paint.of(sys.stdout)
    for judged in reading.judged(args.paths):
        record = described(judged)
        if record is None:
            continue
        if args.json:
            print(json.dumps(record, ensure_ascii=False))
            continue
        if reading.calls == 1:
            print(paint("bold", next(iter(columns([FIELDS], WIDTHS)))))
        print(next(iter(columns([[record[name] or "-" for name in FIELDS]], WIDTHS))))
        known = {name: total + (record[name] is not None) for name, total in known.items()}
    if not args.json:
        print(_summary(reading, known))
    return 0


def described(judged: Judged) -> dict[str, str | None] | None:
    """One call as this command shows it: values as fingerprints, or None where unknown."""
    call, seen = judged.call, judged.observation
    if call is None or seen is None:
        return None
    return {
        "run": call.run,
        "tool": call.tool,
        "args": hexadecimal(seen.arguments_fingerprint),
        "result": hexadecimal(seen.result_fingerprint),
        "outcome": seen.outcome.value,
        "agent": call.agent,
        "dialect": call.dialect,
        "span_id": hexadecimal(call.span_id or None),
    }


def _summary(reading: Reading, known: dict[str, int]) -> str:
    if not reading.calls:
        return reading.nothing_read()
    return f"{reading.calls} calls; arguments known of {known['args']}, results of {known['result']}"
