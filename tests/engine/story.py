"""Stories: tool calls written as readable rows, put on a clock of their own, and shown to the engine.

A story is what one run (or, with several agents, one group of runs) did. `watch` gives back what was said about it, by
the number of the call within the story.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from otel_loopwatch.detectors import RULES
from otel_loopwatch.detectors.grading import Extra
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, Level, ToolCall
from otel_loopwatch.settings import THRESHOLDS, Settings

GAP_S = 5.0
"""Between the starts of two calls, where nothing else is said."""
CALL_NS = 200_000_000
"""What a call takes."""
START_NS = 1_700_000_000_000_000_000
DEFAULTS = Settings()

Seen = tuple[int, Kind, Level]
"""Number of the call in the story, from 1, and what was signalled at it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One call of a story, before it has a place in time."""

    tool: str
    arguments: Any
    result: Any
    gap: float
    fields: dict[str, Any] = field(default_factory=dict)


Part = Line | Iterable["Part"]


def call(tool: str, arguments: Any = None, result: Any = None, *, gap: float = GAP_S, **fields: Any) -> Line:
    """A call that starts ``gap`` seconds after the one before; ``fields`` are those of `ToolCall`."""
    return Line(tool, arguments, result, gap, fields)


def fails(tool: str, arguments: Any = None, error: str | None = None, *, gap: float = GAP_S, **fields: Any) -> Line:
    """A call whose span says that it failed."""
    return Line(tool, arguments, None, gap, {"failed": True, "error": error, **fields})


def times(number: int, *parts: Part) -> list[Part]:
    """The same again and again."""
    return [*parts] * number


def together(batch: int, *parts: Part) -> list[Line]:
    """Siblings of one model response: they start at the same moment."""
    lines = list(_flat(parts))
    return [
        replace(line, gap=line.gap if first else 0.0, fields={**line.fields, "batch": batch})
        for first, line in ((index == 0, line) for index, line in enumerate(lines))
    ]


def spaced(gaps: Sequence[float], *parts: Part) -> list[Line]:
    """The same lines with other gaps before them; the last gap stays."""
    lines = list(_flat(parts))
    return [replace(line, gap=gaps[min(index, len(gaps) - 1)]) for index, line in enumerate(lines)]


def story(*parts: Part, run: str = "story") -> list[ToolCall]:
    """The calls of a story; each agent that is named is a run of its own, and all share the group."""
    calls: list[ToolCall] = []
    now = START_NS
    for number, line in enumerate(_flat(parts), 1):
        now += int(line.gap * 1e9)
        agent = line.fields.get("agent")
        placed = {
            "run": f"{run}/{agent}" if agent else run,
            "group": run,
            "start_ns": now,
            "end_ns": now + CALL_NS,
            "span_id": number,
            "trace_id": 1,
            **line.fields,
        }
        calls.append(ToolCall(tool=line.tool, arguments=line.arguments, result=line.result, **placed))
    return calls


def _flat(parts: Iterable[Part]) -> Iterable[Line]:
    for part in parts:
        if isinstance(part, Line):
            yield part
        else:
            yield from _flat(part)


def watch(calls: Iterable[ToolCall], settings: Settings | None = None, *rules: str) -> list[Seen]:
    """What a fresh engine signals, in order; ``rules`` are the names of those that judge, all of them if none is."""
    engine = Engine(settings, rules=[RULES[rule] for rule in rules or RULES])
    return [
        (number, signal.kind, signal.level)
        for number, item in enumerate(calls, 1)
        for signal in engine.observe(item).signals
    ]


def shifted(calls: Iterable[ToolCall], factor: float) -> list[ToolCall]:
    """The same calls with all gaps stretched or shrunk."""
    moved = []
    for item in calls:
        start = START_NS + int((item.start_ns - START_NS) * factor)
        moved.append(msgspec.structs.replace(item, start_ns=start, end_ns=start + 1_000_000))
    return moved


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence, its story, and what is to be said about it."""

    sentence: str
    calls: list[ToolCall]
    first: Seen | None = None
    """The first signal; ``None``: silence."""
    critical: int | None = None
    """The call with the first critical signal."""
    settings: Settings = DEFAULTS


def loop(
    sentence: str,
    *parts: Part,
    at: tuple[int, Kind],
    critical: int | None = None,
    settings: Settings | None = None,
) -> Row:
    """A story that is to be signalled: ``at`` a call as a kind, at first as a warning (unless critical right away)."""
    level = Level.CRITICAL if critical == at[0] else Level.WARNING
    return Row(sentence, story(*parts), (*at, level), critical, settings or DEFAULTS)


def fine(sentence: str, *parts: Part, settings: Settings | None = None) -> Row:
    """A story of good work: nothing is to be said."""
    return Row(sentence, story(*parts), settings=settings or DEFAULTS)


def check(row: Row, *rules: str) -> None:
    """The first signal and the first critical one are those of the row; of some rules alone, where they are named."""
    seen = watch(row.calls, row.settings, *rules)
    stops = [number for number, _, level in seen if level is Level.CRITICAL]
    assert (seen[0] if seen else None) == row.first, row.sentence
    assert (stops[0] if stops else None) == row.critical, row.sentence


NO_MORE = Extra(0, 0)


def warns(kind: Kind, extra: Extra = NO_MORE) -> int:
    """Attempts (or rounds) at which a kind is a warning."""
    return THRESHOLDS[kind].warning + extra.warning


def stops(kind: Kind, extra: Extra = NO_MORE) -> int:
    """Attempts (or rounds) at which a kind is critical."""
    assert extra.critical is not None
    return THRESHOLDS[kind].critical + extra.critical


def name(row: Row) -> str:
    """What the test of a row is called."""
    return row.sentence.replace(" ", "_")
