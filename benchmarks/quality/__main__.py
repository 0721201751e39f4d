"""How well loops are told from good work, by this package and by others, at default settings.

Prints the scoreboard and writes results.md, results.json and results.png beside this program. The repository's own
cases are always there; more cases, and recorded runs of real agents, are read from cases/ and corpora/ in the folder
that --shared names.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from . import loading, report, running, standing
from .detector import Detector
from .ours import Loopwatch, strict
from .plain import RULES

RESULTS = loading.HERE / "results"


def main() -> None:
    """Measure, print, write."""
    arguments = _arguments()
    material = running.Material(loading.suites(arguments.shared), loading.recordings(arguments.shared))
    if not material.recordings:
        print(f"no recorded runs in {arguments.shared}", file=sys.stderr)
    if arguments.ours:
        alone: list[Detector] = [Loopwatch(), strict(), *RULES]
        print(standing.told(dict(running.everyone(alone, material)), material))
    else:
        _scoreboard(material)


def _scoreboard(material: running.Material) -> None:
    from . import gathering, picture  # matplotlib and the rivals are not needed for --ours

    results = gathering.results(material)
    page = report.markdown(results)
    print(page)
    RESULTS.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(page, encoding="utf-8")
    picture.draw(results, RESULTS.with_suffix(".png"))


def _arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--ours", action="store_true", help="only this package and the plain rules; writes nothing")
    parser.add_argument(
        "--shared", type=Path, default=loading.SHARED, metavar="FOLDER", help="further cases and recorded runs"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
