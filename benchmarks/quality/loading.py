"""Cases with the verdict a good detector gives, and recorded runs of real agents with their outcomes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otel_loopwatch.sources import cases as case_format

from .detector import Call

NS_PER_MS = case_format.NS_PER_MS
HERE = Path(__file__).parent
OWN = HERE / "cases"
SHARED = HERE.parents[2] / "shared"
"""Cases and recorded runs that do not belong to the repository; whoever has them lays them beside it."""
PUBLIC = "public"
"""Name of the suite made of the repository's own cases."""
UNTIMED_GAP_MS = 10_000
"""Between the calls of recorded runs, which do not say when they were made."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Expectation:
    """The verdict a good detector gives on a case; calls are counted from 1."""

    loop: bool
    by_step: int = 0
    """Of a loop: the call at which it must have been signalled."""
    not_before: int = 1
    """Of a loop: a signal before this call is a false alarm."""
    kinds: frozenset[str] = frozenset()
    """Of a loop: what its first signal may call it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A short sequence of calls, written to be judged."""

    suite: str
    id: str
    expect: Expectation
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """A real agent's run."""

    source: str
    id: str
    outcome: str
    """``success``, ``failure`` or ``unknown``."""
    calls: tuple[Call, ...]
    loops: bool = False
    """People marked two repetitions in a row."""
    pairs: tuple[str, ...] = ()
    """People's word for each call against the one before it; empty where nobody looked."""


def suites(shared: Path = SHARED) -> dict[str, list[Case]]:
    """Every suite there is, by name."""
    found = {PUBLIC: [case for path in sorted(OWN.glob("*.jsonl")) for case in read_cases(path, PUBLIC)]}
    for path in sorted((shared / "cases").glob("*.jsonl")):
        found[path.stem] = list(read_cases(path, path.stem))
    return {name: cases for name, cases in found.items() if cases}


def recordings(shared: Path = SHARED) -> list[Recording]:
    """Every recorded run there is, source by source."""
    paths = sorted((shared / "corpora").glob("*.jsonl.gz"))
    found = [recording for path in paths for recording in read_recordings(path)]
    return sorted(found, key=lambda recording: recording.source)


def read_cases(path: Path, suite: str) -> Iterator[Case]:
    """The cases of a file."""
    for record in _records(path):
        yield case_of(record, suite)


def case_of(record: Record, suite: str) -> Case:
    """A case from its JSON object."""
    expect = record["expect"]
    expectation = Expectation(
        loop=expect["loop"],
        by_step=expect.get("by_step") or 0,
        not_before=expect.get("not_before") or 1,
        kinds=frozenset(expect.get("kinds") or ()),
    )
    return Case(suite, record["id"], expectation, calls_of(record))


def read_recordings(path: Path) -> Iterator[Recording]:
    """The recorded runs of a file."""
    for record in _records(path):
        labels: Mapping[str, Any] = record.get("labels") or {}
        timed = {"id": record["id"], "calls": [_timed(call, at) for at, call in enumerate(record["calls"])]}
        yield Recording(
            source=record["source"],
            id=record["id"],
            outcome=record["outcome"],
            calls=calls_of(timed),
            loops=bool(labels.get("loop_strict")),
            pairs=tuple(record.get("pair_labels") or ()),
        )


def calls_of(record: Record) -> tuple[Call, ...]:
    """The calls of a case: runs and times are those that the package's own reader of cases gives them."""
    entries = [_failed_as_text(entry) for entry in record["calls"]]
    read = case_format.calls({"calls": entries}, record["id"])
    return tuple(
        Call(
            case=record["id"],
            run=known.run,
            tool=known.tool,
            arguments=entry.get("args"),
            result=entry.get("result"),
            error=entry.get("error"),
            agent=known.agent,
            at_ms=known.start_ns // NS_PER_MS,
            end_ns=known.end_ns,
            batch=known.batch,
            turn=known.user_turn,
        )
        for entry, known in zip(entries, read, strict=True)
        if known is not None
    )


def _failed_as_text(entry: Record) -> Record:
    """``error: true`` says that the result is the text of the failure."""
    if not isinstance(entry.get("error"), bool):
        return entry
    if not entry["error"]:
        return {**entry, "error": None}
    return {**entry, "error": entry.get("result") or "error", "result": None}


def _timed(entry: Record, position: int) -> Record:
    known: Record = {key: entry[key] for key in ("tool", "result", "error", "agent", "batch", "turn") if key in entry}
    if entry.get("user_turn") is not None:
        known["turn"] = entry["user_turn"]
    arguments, at_ms = entry.get("args"), entry.get("ts")
    known["args"] = arguments if arguments is None or isinstance(arguments, dict) else {"value": arguments}
    known["at_ms"] = position * UNTIMED_GAP_MS if at_ms is None else at_ms
    return known


def _records(path: Path) -> Iterator[Record]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
