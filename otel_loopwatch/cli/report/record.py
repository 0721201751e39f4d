"""What was judged, as the plain data that a page shows: tables of words, then runs with a row per call.

Fingerprints are those that spans carry. The keys by which calls are compared are numbered within the run: equal
numbers are equal keys, and nothing else can be told from them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Generic, TypeVar

from otel_loopwatch.cli.contents import contents
from otel_loopwatch.cli.reading import Judged
from otel_loopwatch.cli.report.loops import Loop, Loops, Seen
from otel_loopwatch.cli.witness import Sight
from otel_loopwatch.digests import Digests
from otel_loopwatch.model import Kind, LoopSignal, Observation, Outcome, ToolCall
from otel_loopwatch.settings import Options

H = TypeVar("H", bound=Hashable)

CALL_COLUMNS = (
    *("tool", "outcome", "evidence", "start_ms", "took_ms", "attempt", "request", "call", "answer"),
    *("arguments_fingerprint", "result_fingerprint", "brought", "counts", "arguments", "result"),
)
"""Meaning of a call's row. ``tool`` is a position in the table of tools; ``counts`` has the position of a rule, what it
counted, and at which counts there is a warning and a critical signal, if ever."""
MAX_CONTENT = 2_000
"""Characters of an argument or a result that are shown."""
LONGEST_NS = 10**18
"""Some thirty years; what a broken clock makes of a time is cut to it."""
FIRST_YEAR = 1980
"""Earlier times are no dates: clocks of cases begin at 0."""


class Numbering(Generic[H]):
    """Numbers for values, in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[H, int] = {}

    def of(self, value: H) -> int:
        """The number of a value, from 0."""
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[H]:
        """The values by their numbers."""
        return list(self._numbers)


@dataclass(slots=True)
class _Run:
    key: str
    path: str
    agent: str | None = None
    start_ns: int = 0
    seen: list[Seen] = field(default_factory=list)
    rows: list[list[object]] = field(default_factory=list)
    loops: Loops = field(default_factory=Loops)
    keys: Numbering[int] = field(default_factory=Numbering)
    wasted: int = 0


class Report:
    """Takes in calls and signals, and gives them as one JSON-able object. ``content`` adds arguments and results."""

    def __init__(self, options: Options, *, content: bool = False) -> None:
        self._content = content
        self._digests = Digests(options.digest_key)
        self._tools: Numbering[str] = Numbering()
        self._files: Numbering[str] = Numbering()
        self._rules: Numbering[str] = Numbering()
        self._runs: dict[tuple[str, str], _Run] = {}

    def add(self, judged: Judged) -> None:
        """One step of the reading."""
        call, seen = judged.call, judged.observation
        if call is not None and seen is not None:
            self._add_call(self._run(judged.path, call.run), judged, call, seen)
        for signal in judged.signals:
            run = self._run(judged.path, signal.run)
            run.loops.signalled(signal, run.seen)

    def _run(self, path: str, key: str) -> _Run:
        return self._runs.setdefault((path, key), _Run(key, path))

    def _add_call(self, run: _Run, judged: Judged, call: ToolCall, seen: Observation) -> None:
        if not run.rows:
            run.start_ns = call.start_ns
        run.agent = call.agent or run.agent
        run.wasted += seen.wasted
        run.seen.append(Seen.of(call, judged.sight))
        run.rows.append(self._row(run, judged, call, seen))
        if judged.recovered:
            run.loops.recovered(len(run.rows))
        elif seen.wasted and not seen.signals:
            run.loops.wasted(len(run.rows))

    def _row(self, run: _Run, judged: Judged, call: ToolCall, seen: Observation) -> list[object]:
        sight = judged.sight
        keys = (sight.request, sight.call, sight.answer) if sight else (None, None, None)
        row: list[object] = [
            self._tools.of(call.tool),
            seen.outcome.value,
            sight.grade.name.lower() if sight else None,
            _ms(call.start_ns - run.start_ns),
            _ms(call.end_ns - call.start_ns),
            sight.attempt if sight else None,
            *(None if key is None else run.keys.of(key) for key in keys),
            self._fingerprint(seen.arguments_fingerprint),
            self._fingerprint(seen.result_fingerprint),
            sight.brought if sight else "unjudged",
            list(self._counts(sight)) if sight else [],
        ]
        if self._content:
            row += contents(call, MAX_CONTENT)
        return row

    def _counts(self, sight: Sight) -> Iterator[tuple[int, int, int | None, int | None]]:
        for told in sight.told:
            for asked in told.asked:
                if asked.count > 1:
                    yield self._rules.of(told.rule), asked.count, asked.warning, asked.critical

    def _fingerprint(self, number: int | None) -> str | None:
        return None if number is None else self._digests.fingerprint(number)

    def data(self) -> dict[str, Any]:
        """Everything that was taken in."""
        runs = [self._described(run) for run in self._runs.values()]
        return {
            "content": self._content,
            "files": self._files.values(),
            "kinds": [kind.value for kind in Kind],
            "outcomes": [outcome.value for outcome in Outcome],
            "tools": self._tools.values(),
            "rules": self._rules.values(),
            "columns": CALL_COLUMNS,
            "runs": runs,
        }

    def _described(self, run: _Run) -> dict[str, Any]:
        return {
            "id": run.key,
            "agent": run.agent,
            "file": self._files.of(Path(run.path).name),
            "start": _date(run.start_ns),
            "wasted": run.wasted,
            "calls": run.rows,
            "loops": [_loop(loop) for loop in run.loops.found],
        }


def _loop(loop: Loop) -> dict[str, Any]:
    newest = loop.signals[-1]
    return {
        "kind": loop.kind.value,
        "level": newest.level.value,
        "tools": list(dict.fromkeys(newest.tools)),
        "first": loop.first,
        "last": loop.last,
        "recovered": loop.recovered,
        "signals": [_signal(signal) for signal in loop.signals],
    }


def _signal(signal: LoopSignal) -> dict[str, Any]:
    return {
        "level": signal.level.value,
        "call": signal.call,
        "count": signal.count,
        "wasted": signal.wasted_calls,
        "evidence": signal.evidence.value,
        "reason": signal.reason,
        "advice": signal.advice,
    }


def _ms(ns: int) -> float:
    return round(max(-LONGEST_NS, min(ns, LONGEST_NS)) / 1e6, 1)


def _date(ns: int) -> str | None:
    """A time as people write it, in UTC; ``None`` where it is none."""
    try:
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=ns // 10**9)
    except OverflowError:
        return None
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC") if moment.year >= FIRST_YEAR else None
