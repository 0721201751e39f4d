"""Loops told, refused and stopped in real frameworks: a table from instrumentations/adapters.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "instrumentations" / "adapters.json"

COLUMNS = ("nudged", "blocked", "halted", "climbed", "ahead", "healthy", "parallel")
"""Scenarios, in the order of the table."""
HEADINGS = ("adapter", "tested with", *COLUMNS, "how a halted run ends")
OK, WRONG, NONE = "✓", "✗", ""


def rows() -> Iterator[tuple[str, ...]]:
    """A row per adapter: ✓ where a scenario went as it must, with our span processor beside it and without."""
    for name, entry in sorted(json.loads(RESULTS.read_text(encoding="utf-8")).items()):
        page = f"[{name}](frameworks/{name}.md)"
        if "problem" in entry:
            yield (page, entry["problem"], *(NONE for _ in COLUMNS), NONE)
            continue
        versions = ", ".join(f"{package} {version}" for package, version in entry["versions"].items())
        played = [*entry["watched"], *entry["alone"]]
        yield (page, versions, *(_cell(played, column) for column in COLUMNS), _end(played))


def _cell(played: list[Mapping[str, Any]], scenario: str) -> str:
    of_scenario = [each for each in played if each["scenario"] == scenario]
    if not of_scenario:
        return NONE
    return WRONG if any(each["wrong"] for each in of_scenario) else OK


def _end(played: list[Mapping[str, Any]]) -> str:
    """Cleanly with the advice as its last words, or by an exception."""
    ends = {each["raised"].partition(":")[0] for each in played if each["scenario"] == "halted"}
    named = sorted(f"raises `{raised}`" if raised else "with the advice as its answer" for raised in ends)
    return ", ".join(named)
