"""Instructions per call, which a busy machine does not change: `perf stat` where it works, else valgrind.

Each piece of work runs with few calls and with many; the difference, per call, leaves the start-up out. Counts of the
two counters are not compared with each other.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from .counted import FEW, MANY, works

COUNTED = (sys.executable, "-m", "cost.counted")
PERF = ("perf", "stat", "-x", ",", "-e", "instructions:u")
VALGRIND = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
"""Counts what callgrind counts, in half the time: nobody asks it where."""
_PERF_LINE = re.compile(r"^(\d+),[^,]*,instructions", re.MULTILINE)
_VALGRIND_LINE = re.compile(r"^==\d+== I\s+refs:\s+([\d,]+)$", re.MULTILINE)

Counts = Mapping[str, float]
"""Instructions per call, by the name of the work."""


class NotCounted(Exception):
    """The counter did not count; the message says what it said instead."""


def counter() -> str | None:
    """The counter that works on this machine, if one does."""
    if shutil.which("perf") and _PERF_LINE.search(_run((*PERF, sys.executable, "-c", "")).stderr):
        return "perf"
    return "valgrind" if shutil.which("valgrind") and hasattr(os, "fork") else None


def count(counter: str) -> Counts:
    """Every piece of work. Raises :class:`NotCounted`."""
    return _COUNTERS[counter]()


def per_call(counts: Mapping[tuple[str, int], int]) -> Counts:
    """What one call more costs, from the counts by name and calls."""
    names = dict.fromkeys(name for name, _ in counts)
    return {name: (counts[name, MANY] - counts[name, FEW]) / (MANY - FEW) for name in names}


def of_perf(said: str) -> int:
    """The count in what `perf stat -x ,` says."""
    return _only(_PERF_LINE, said)


def of_valgrind(said: str) -> int:
    """The count in the log of callgrind or cachegrind."""
    return _only(_VALGRIND_LINE, said)


def children(said: str) -> Iterable[tuple[tuple[str, int], int]]:
    """Name and calls of each child of `cost.counted`, with its process id."""
    for line in said.splitlines():
        name, calls, process = line.split("\t")
        yield (name, int(calls)), int(process)


def _with_perf() -> Counts:
    pieces = [(name, calls) for name, _ in works() for calls in (FEW, MANY)]
    return per_call(
        {(name, calls): of_perf(_run((*PERF, *COUNTED, name, str(calls))).stderr) for name, calls in pieces}
    )


def _with_valgrind() -> Counts:
    with TemporaryDirectory() as folder:
        done = _run((*VALGRIND, f"--log-file={folder}/%p", *COUNTED))
        if done.returncode:
            raise NotCounted(done.stderr)
        logs = {piece: Path(folder, str(process)).read_text() for piece, process in children(done.stdout)}
    return per_call({piece: of_valgrind(log) for piece, log in logs.items()})


def _only(pattern: re.Pattern[str], said: str) -> int:
    found = pattern.search(said)
    if found is None:
        raise NotCounted(said)
    return int(found[1].replace(",", ""))


def _run(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Hashes of texts are the same in every run."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)  # noqa: S603


_COUNTERS: Mapping[str, Callable[[], Counts]] = {"perf": _with_perf, "valgrind": _with_valgrind}
