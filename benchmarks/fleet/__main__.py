"""What a fleet costs: measures, prints, and writes results.json and results.md beside it."""

from __future__ import annotations

import json
import platform
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from . import gateway, memory, worker
from .report import Row, markdown

RESULTS = Path(__file__).with_name("results")
PARTS: Mapping[str, Callable[[], Iterator[Row]]] = {
    "gateway": gateway.rows,
    "worker": worker.rows,
    "memory": memory.rows,
}


def main() -> None:
    """Measure, print, write."""
    parser = ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--part", choices=PARTS, help="measure this alone, and write nothing")
    part = parser.parse_args().part
    rows = [row for name, measure in PARTS.items() if part in (None, name) for row in measure()]
    page = markdown(rows)
    print(page)
    if part is None:
        told = [{**asdict(row), "said": row.said, "target": row.target, "verdict": row.verdict} for row in rows]
        made = {"python": platform.python_version(), "machine": platform.machine(), "rows": told}
        RESULTS.with_suffix(".json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        RESULTS.with_suffix(".md").write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
