"""Lints the dashboards by the rules of Grafana's dashboard-linter.

usage: lint.py [--rules]    prints what it finds (exit code 1), or the rules and what each asks
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from linting import LEFT_OUT, RULES, Board, Finding, applied, read

HERE = Path(__file__).parent
EXCLUSIONS = HERE / "lint.yaml"


def boards(folder: Path = HERE) -> list[Board]:
    """The committed dashboards, those for dotted names too."""
    return [Board(json.loads(file.read_text(encoding="utf-8"))) for file in sorted(folder.rglob("loopwatch-*.json"))]


def found(board: Board) -> list[Finding]:
    """What every rule finds, nothing excluded."""
    return [finding for rule in RULES for finding in rule.check(board)]


def main(arguments: list[str], folder: Path = HERE, exclusions: Path = EXCLUSIONS) -> int:
    """Print the findings, and the exclusions that are no longer needed."""
    if "--rules" in arguments:
        print("\n".join([*(f"{r.name}: {r.asks}" for r in RULES), *(f"not {n}: {why}" for n, why in LEFT_OUT.items())]))
        return 0
    left, idle = applied(read(exclusions), [finding for board in boards(folder) for finding in found(board)])
    for finding in left:
        print(finding)
    for exclusion in idle:
        print(f"{exclusions.name}: {exclusion.rule}: excludes nothing: {exclusion.reason}")
    return 1 if left or idle else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
