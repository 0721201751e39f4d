"""Shows the engine, at default settings, every case under every mutation."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import MUTATIONS
from .case import Case, read
from .judge import Score, score
from .report import AS_WRITTEN, as_json, changes, described_changes, markdown

ROOT = Path(__file__).resolve().parents[3]
PLACES = (ROOT / "benchmarks/quality/cases", ROOT.parent / "shared/cases")
"""Where case files are looked for."""


def main() -> int:
    """Score, print, and fail where good work was stopped."""
    args = _arguments()
    cases = list(read(args.files or found()))
    if not cases:
        print("no case files found", file=sys.stderr)
        return 2
    rows = _rows(cases, args.only, args.seed)
    print(markdown(rows))
    if args.verbose:
        for name, _, after in rows[1:]:
            print(f"\n{name}\n{described_changes(changes(rows[0][2], after)) or '  nothing changed'}")
    if args.json:
        args.json.write_text(json.dumps(as_json(rows), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if any(after.stops for _, _, after in rows) else 0


def found() -> list[Path]:
    """All case files there are."""
    return [path for place in PLACES for path in sorted(place.glob("*.jsonl"))]


def _rows(cases: list[Case], only: str, seed: int) -> list[tuple[str, bool, Score]]:
    rows = [(AS_WRITTEN, True, score(cases))]
    for mutation in MUTATIONS:
        if only in mutation.name:
            rows.append((mutation.name, mutation.keeps_evidence, score(mutation(case, seed) for case in cases)))
    return rows


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.rewriting", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="case files (default: all that are found)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the scores and changed cases there")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutations with this in their names")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations that draw lots")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the cases that came out differently")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
