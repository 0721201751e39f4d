"""Shows the engine, at default settings, every case under every mutation, and prints what came of it.

Exits with 1 where good work was stopped.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from zlib import crc32

from .. import loading
from . import MUTATIONS, stories
from .case import Case, read
from .judge import Score, calls_of, score
from .report import AS_WRITTEN, Row, as_json, changes, markdown, told


def main() -> int:
    """Score and print."""
    args = _arguments()
    found = [*read(args.files or case_files()), *(stories.load() if args.stories else ())]
    cases = [case for case in found if crc32(case.id.encode()) % args.one_in == 0]
    rows = list(scores(cases, args.only, args.seed))
    print(markdown(rows))
    for row in rows[1:] if args.verbose else ():
        print(told(row.name, changes(rows[0].score, row.score)))
    if args.json:
        args.json.write_text(json.dumps(as_json(rows), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(row.score.stops for row in rows))


def case_files() -> list[Path]:
    """The repository's own case files, and those that lie beside it."""
    return [path for place in (loading.OWN, loading.SHARED / "cases") for path in sorted(place.glob("*.jsonl"))]


def scores(cases: Sequence[Case], only: str = "", seed: int = 0) -> Iterator[Row]:
    """The cases as they are, then under each mutation that has ``only`` in its name; in as many processes as help."""
    as_written = score(cases)
    yield Row(AS_WRITTEN, keeps_evidence=True, score=as_written)
    chosen = [number for number, mutation in enumerate(MUTATIONS) if only in mutation.name]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(partial(_mutated, cases, as_written, seed), chosen)
        for number, result in zip(chosen, found, strict=True):
            yield Row(MUTATIONS[number].name, MUTATIONS[number].keeps_evidence, result)


def _mutated(cases: Sequence[Case], as_written: Score, seed: int, number: int) -> Score:
    """The score under a mutation; one that reads as before, as out of an envelope, is not shown again."""
    mutated = ((case, MUTATIONS[number](case, seed)) for case in cases)
    changed = score(after for before, after in mutated if not _reads_alike(before, after))
    return Score({**as_written.judgements, **changed.judgements})


def _reads_alike(before: Case, after: Case) -> bool:
    return before.settings == after.settings and list(calls_of(before)) == list(calls_of(after))


def _arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.quality.rewriting", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="case files (default: all that are found)")
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="take one case in N, for a quick look")
    parser.add_argument("--stories", action="store_true", help="the stories of the detectors' tests as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the scores and the changed cases there")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutations with this in their names")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations that draw lots")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the cases that came out differently")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
