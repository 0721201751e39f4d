"""Memory of live runs: ``python -m benchmarks.fleet.memory`` makes 100,000 of them and says what they take."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from otel_loopwatch.config import load
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream import StreamWatch

from .report import Row

RUNS = 100_000
CALLS = 4
CAP_MB = 256
MIB = 1 << 20


def rows() -> Iterator[Row]:
    """With room for all, and under a cap."""
    for max_runs, max_mb in ((RUNS, 4096), (RUNS, CAP_MB)):
        mib, live = _measured(max_runs, max_mb)
        capped = max_mb == CAP_MB
        what = f"{RUNS:,} live runs of {CALLS} calls" + (f", max_memory_mb {CAP_MB}" if capped else "")
        yield Row(
            what,
            mib,
            "MB",
            at_most=2.0 * CAP_MB if capped else None,
            detail=f"{live:,} runs remembered",
            name="" if capped else "memory MB",
            figure=mib,
        )


def _measured(max_runs: int, max_mb: int) -> tuple[float, int]:
    command = [sys.executable, "-m", "benchmarks.fleet.memory", str(max_runs), str(max_mb)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - this very file
    mib, live = done.stdout.split()
    return float(mib), int(live)


def _rss_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / MIB


def _span(run: int, number: int) -> SpanData:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read_page",
        "gen_ai.tool.call.arguments": f'{{"page": {run * CALLS + number}}}',
        "gen_ai.tool.call.result": f"Page {number} of {run}: amber basin candle daisy ember fable garden harbor",
    }
    start = (run * CALLS + number) * 1000
    trace = (run + 1) << 64 | run
    return SpanData(trace, number + 2, 1, "execute_tool read_page", "x", attributes, (), False, "", start, start + 500)


def main(max_runs: str, max_mb: str) -> None:
    """Make the runs, and print what they take in MB, and how many there are."""
    watch = StreamWatch(load(max_runs=int(max_runs), max_memory_mb=int(max_mb)))
    before = _rss_mib()
    for run in range(RUNS):
        for _ in watch.take([_span(run, number) for number in range(CALLS)]):
            pass
    print(_rss_mib() - before, len(watch))


if __name__ == "__main__":
    main(*sys.argv[1:])
