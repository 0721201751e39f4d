"""What watching costs: measures, judges by the targets, prints, and writes results.json and results.md beside it."""

from __future__ import annotations

import json
import platform
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from . import (
    apart,
    check,
    concurrency,
    instructions,
    judging,
    process_memory,
    processing,
    remembering,
    replaying,
    report,
    run_length,
    timing,
    wording,
)
from .rows import Part, Row

RESULTS = Path(__file__).with_name("results")
TIMED: Mapping[Part, Callable[[], Iterator[Row]]] = {
    Part.ENGINE: judging.rows,
    Part.SPANS: processing.rows,
    Part.LENGTH: run_length.rows,
    Part.CONCURRENCY: concurrency.rows,
    Part.REPLAY: replaying.rows,
}
COUNTS = ("instructions", 0)
"""The question that no module is asked."""
NO_RIVALS = "other packages: none is installed here (`make quality` makes an environment that has them)"
NO_MEMORY = "memory: only Linux tells it"


def main() -> None:
    """Measure, print, write."""
    parser = ArgumentParser(prog="python -m cost", description=__doc__)
    parser.add_argument("--rivals", metavar="PYTHON", help="a Python whose environment has the other packages")
    results = measured(parser.parse_args().rivals)
    page = report.markdown(results)
    print(page)
    RESULTS.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(page, encoding="utf-8")


def measured(rivals: str | None) -> dict[str, Any]:
    """All figures: first what is timed, alone on a core; then what can be counted side by side."""
    with timing.pinned() as core:
        rows = [row for part, of_part in TIMED.items() for row in _told(part.value, of_part())]
        others = _asked_others(rivals)
    by = instructions.counter()
    rest = apart.together(dict(_side_by_side(by)))
    if process_memory.known():
        rows += [
            *remembering.rows(rest),
            *replaying.memory_rows({size: rest["peak", size] for size in replaying.SIZES}),
        ]
    if others:
        rows += _rows_of_others(others)
    counts = rest.get(COUNTS)
    missing = {NO_RIVALS: others, NO_MEMORY: process_memory.known(), check.NO_COUNTER: counts}
    return {
        "environment": {**environment(), "core": "not pinned" if core is None else str(core)},
        "sizes": {"arguments": wording.ARGUMENTS_CHARS, "result": wording.RESULT_CHARS},
        "rows": [written(row) for part in Part for row in rows if row.part is part],
        "others": others,
        "instructions": {"counter": by, "counts": counts} if counts else None,
        "missing": [
            *(what for what, there in missing.items() if not there),
            *(f"{name}: not installed" for name in (others or {}).get("absent", ())),
        ],
    }


def written(row: Row) -> dict[str, Any]:
    """A row as results.json holds it."""
    words = {"said": row.said, "target": row.target, "verdict": row.verdict}
    return {**asdict(row), "part": row.part.value, **words}


def environment() -> dict[str, str]:
    """What the figures were measured with."""
    packages = {name: version(name) for name in ("opentelemetry-sdk", "msgspec")}
    return {"Python": platform.python_version(), **packages, "machine": platform.machine()}


def _side_by_side(counter: str | None) -> Iterator[tuple[tuple[str, int], Callable[[], Any]]]:
    """The longest first."""
    if process_memory.known():
        for question, number in reversed(list(remembering.questions())):
            yield (question, number), partial(apart.ask, "remembering", question, number)
        for size in replaying.SIZES:
            yield ("peak", size), partial(apart.ask, "replaying", size)
    if counter:
        yield COUNTS, partial(_counted, counter)


def _counted(counter: str) -> instructions.Counts | None:
    """Nothing where the counter fails, as valgrind does with a processor that is too new for it."""
    try:
        return instructions.count(counter)
    except instructions.NotCounted as failure:
        print(failure, file=sys.stderr)
        return None


def _asked_others(python: str | None) -> dict[str, Any] | None:
    if python is None:
        return None
    print("other packages ...", file=sys.stderr)
    found: dict[str, Any] = apart.ask("others", python=python)
    return found


def _rows_of_others(known: Mapping[str, Any]) -> list[Row]:
    from . import others  # needs the adapters of the scoreboard

    return list(others.rows(known))


def _told(what: str, rows: Iterator[Row]) -> Iterator[Row]:
    print(f"{what} ...", file=sys.stderr)
    yield from rows


if __name__ == "__main__":
    main()
