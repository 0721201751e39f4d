"""A case: the calls of one story and the verdict a good detector gives, in the format of the case files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otel_loopwatch.settings import Settings
from otel_loopwatch.sources.cases import DEFAULT_GAP_MS

Entry = Mapping[str, Any]
"""One call, as a case file writes it: tool, args, result, error, at_ms; also agent, batch, turn."""
DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Case:
    """Calls and verdict; steps are numbered from 1."""

    id: str
    calls: tuple[Entry, ...]
    by_step: int | None = None
    """The latest step at which the loop is signalled in time; ``None``: good work, nothing is to be said."""
    not_before: int = 1
    """A signal before this step is a false alarm."""
    kinds: frozenset[str] = frozenset()
    """The names that fit the loop."""
    settings: Settings = DEFAULTS
    """What the user of the story has set; nothing, in case files."""

    @property
    def loops(self) -> bool:
        """Whether there is a loop to be seen."""
        return self.by_step is not None


def read(paths: list[Path]) -> Iterator[Case]:
    """The cases of JSON Lines files. Raises ``OSError``, ``ValueError`` or ``KeyError`` where a file holds none."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield _case(json.loads(line))


def _case(record: Mapping[str, Any]) -> Case:
    expected = record["expect"]
    calls = timed(record["calls"])
    return Case(
        id=str(record["id"]),
        calls=calls,
        by_step=(expected.get("by_step") or len(calls)) if expected["loop"] else None,
        not_before=expected.get("not_before") or 1,
        kinds=_with_synonyms(expected.get("kinds") or ()),
    )


def _with_synonyms(kinds: list[str] | tuple[()]) -> frozenset[str]:
    """A write that is done twice is also an identical call."""
    return frozenset(kinds) | ({"duplicate_write"} if "identical" in kinds else set())


def timed(calls: list[dict[str, Any]]) -> tuple[Entry, ...]:
    """The calls, each with the start that its reader would take for it, in ms."""
    placed: list[Entry] = []
    for entry in calls:
        following = placed[-1]["at_ms"] + DEFAULT_GAP_MS if placed else 0
        placed.append({**entry, "at_ms": following if entry.get("at_ms") is None else entry["at_ms"]})
    return tuple(placed)
