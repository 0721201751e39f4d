"""A case as its file writes it: calls that can be told differently, and the verdict expected of a good detector."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otel_loopwatch.settings import Settings
from otel_loopwatch.sources.cases import DEFAULT_GAP_MS

from ..loading import Expectation, case_of

Entry = Mapping[str, Any]
"""One call: tool, args, result, error, at_ms; also agent, batch, turn. See `otel_loopwatch.sources.cases`."""
DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Case:
    """Calls and verdict."""

    id: str
    calls: tuple[Entry, ...]
    expect: Expectation
    settings: Settings = DEFAULTS
    """What the user of the story has set; nothing, in case files."""


def read(paths: Sequence[Path]) -> Iterator[Case]:
    """The cases of JSON Lines files. ``OSError``, ``ValueError`` or ``KeyError`` where one holds something else."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                record = json.loads(line)
                yield Case(record["id"], timed(record["calls"]), case_of(record, path.stem).expect)


def timed(calls: Sequence[Entry]) -> tuple[Entry, ...]:
    """The calls, each with the start that its reader would take for it, in ms."""
    placed: list[Entry] = []
    for entry in calls:
        following = placed[-1]["at_ms"] + DEFAULT_GAP_MS if placed else 0
        placed.append({**entry, "at_ms": following if entry.get("at_ms") is None else entry["at_ms"]})
    return tuple(placed)
