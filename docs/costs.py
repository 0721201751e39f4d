"""What watching costs, as the README says it, from benchmarks/cost/results.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "benchmarks" / "cost" / "results.json"
HEADINGS = ("what", "measured", "target", "verdict")


def rows() -> Iterator[tuple[str, ...]]:
    """A row for each figure that has a target, under what it is about."""
    about = None
    for row in json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]:
        if row["limit"] is None:
            continue
        if row["part"] != about:
            about = row["part"]
            yield (f"**{about}**", "", "", "")
        yield row["what"], row["said"], row["target"], row["verdict"]
