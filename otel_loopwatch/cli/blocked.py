"""`otel-loopwatch blocked`: what agents lacked most, as they said themselves.

Reads the events that guarded runs write, and the calls of a tool named report_blocked. Said twice in one trace, or in
one run of a file without traces, it counts once.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from otel_loopwatch.canonical import decode
from otel_loopwatch.cli.bad_input import BadInput
from otel_loopwatch.cli.reading import Reading, options_of
from otel_loopwatch.cli.terminal import printable
from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources import SpansFile, UnreadableFile, read
from otel_loopwatch.telemetry.names import BLOCKED_EVENT, BLOCKED_NEEDED

NAME = "blocked"
HELP = "list what agents lacked most, as they reported it"
TOOL = "report_blocked"
WIDTH = 110

Said = tuple[str, str]
"""Where it was said (file, and trace or run), and what was needed."""


def add_arguments(parser: ArgumentParser) -> None:
    """Flags of this command."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file of spans, events, messages or cases")
    parser.add_argument("--json", action="store_true", help="one JSON object per need and line")
    parser.add_argument("--config", metavar="FILE", help="YAML configuration (default: $OTEL_LOOPWATCH_CONFIG)")


def run(args: Namespace) -> int:
    """Count and print, the most frequent first."""
    reading = Reading(options_of(args.config))
    counts = counted([*_events(args.paths), *_calls(reading, args.paths)])
    for needed, runs in counts:
        if args.json:
            print(json.dumps({"needed": needed, "runs": runs}, ensure_ascii=False))
        else:
            print(f"{runs:6d}  {printable(needed, WIDTH)}")
    if not counts and not args.json:
        print("no agent reported that it was blocked")
    return 0


def counted(said: Sequence[Said]) -> list[tuple[str, int]]:
    """Each need, as it was worded first, and how many runs had it: most first, then by wording."""
    worded: dict[str, str] = {}
    places: dict[str, set[str]] = {}
    for where, needed in said:
        folded = " ".join(needed.casefold().split()).rstrip(".! ")
        worded.setdefault(folded, needed)
        places.setdefault(folded, set()).add(where)
    counts = Counter({worded[folded]: len(where) for folded, where in places.items()})
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _events(paths: Sequence[str]) -> Iterator[Said]:
    for path in paths:
        for span in _spans(path):
            for event in span.events:
                needed = event.attributes.get(BLOCKED_NEEDED)
                if event.name == BLOCKED_EVENT and isinstance(needed, str):
                    yield f"{path} {span.trace_id}", needed


def _spans(path: str) -> SpansFile | tuple[()]:
    try:
        source = read(path)
    except UnreadableFile as error:
        raise BadInput(str(error)) from None
    return source if isinstance(source, SpansFile) else ()


def _calls(reading: Reading, paths: Sequence[str]) -> Iterator[Said]:
    for judged in reading.judged(paths):
        if judged.call is not None and judged.call.tool == TOOL:
            needed = _needed(judged.call)
            if needed is not None:
                yield f"{judged.path} {judged.call.trace_id or judged.call.run}", needed


def _needed(call: ToolCall) -> str | None:
    arguments = decode(call.arguments) if isinstance(call.arguments, str) else call.arguments
    needed = arguments.get("needed") if isinstance(arguments, Mapping) else None
    return needed if isinstance(needed, str) and needed.strip() else None
