"""Whether any piece of work takes a tenth more instructions than when the baseline was stored.

``python -m cost.check`` exits with 1 if so; ``--renew`` stores a new baseline. What was counted by another counter, or
on another version of Python or of the SDK, is not compared.
"""

from __future__ import annotations

import json
import platform
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .instructions import Counts, count, counter

BASELINE = Path(__file__).with_name("baseline.json")
ALLOWED = 1.10
NO_COUNTER = "Instructions are not counted here: that takes `perf stat` with hardware counters, or valgrind (a package \
of that name in Debian and others)."

Conditions = Mapping[str, str]
"""What instruction counts depend on beside our code."""


def main(arguments: list[str]) -> int:
    """Compare, or store; the exit code."""
    parser = ArgumentParser(prog="python -m cost.check", description=__doc__)
    parser.add_argument("--renew", action="store_true", help="store these counts as the baseline")
    renew = parser.parse_args(arguments).renew
    by = counter()
    if by is None:
        print(NO_COUNTER)
        return 0
    here = conditions(by)
    stored = {} if renew else json.loads(BASELINE.read_text(encoding="utf-8"))
    if not renew and (differing := list(differences(stored["conditions"], here))):
        print(f"Not compared: the baseline was stored with {', '.join(differing)}.")
        return 0
    counts = count(by)
    if renew:
        BASELINE.write_text(written(here, counts), encoding="utf-8")
        return 0
    print(compared(stored["instructions"], counts))
    return 1 if grown(stored["instructions"], counts) else 0


def conditions(counter: str) -> dict[str, str]:
    """Those that hold here."""
    return {
        "counter": counter,
        "machine": platform.machine(),
        "python": platform.python_version(),
        "opentelemetry-sdk": version("opentelemetry-sdk"),
    }


def differences(stored: Conditions, here: Conditions) -> Iterator[str]:
    """In words: what differs from when the baseline was stored."""
    for name, value in here.items():
        if stored.get(name) != value:
            yield f"{name} {stored.get(name, 'unknown')} (here: {value})"


def grown(before: Counts, now: Counts) -> list[str]:
    """Work that takes more than is allowed. What the baseline does not know is no growth."""
    return [name for name, instructions in now.items() if instructions > ALLOWED * before.get(name, instructions)]


def compared(before: Counts, now: Counts) -> str:
    """A line per piece of work."""
    bad = set(grown(before, now))
    return "\n".join(_line(name, before.get(name), now[name], name in bad) for name in now)


def written(conditions: Conditions, counts: Counts) -> str:
    """The baseline as its file holds it."""
    stored: dict[str, Any] = {
        "conditions": dict(conditions),
        "instructions": {name: round(instructions) for name, instructions in counts.items()},
    }
    return json.dumps(stored, indent=1) + "\n"


def _line(name: str, before: float | None, now: float, bad: bool) -> str:
    change = "not in the baseline" if before is None else f"{now / before - 1:+7.1%}"
    return f"{name:<50} {now:>12,.0f} instructions per call  {change}{'  TOO MANY' if bad else ''}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
