"""``python -m benchmarks.quality`` writes the scoreboard; ``--ours`` prints how this package alone stands.

Our own cases are always there. Cases and recorded runs that are not the repository's are read from ``--shared``.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from . import loading, running, standing
from .ours import Loopwatch


def main() -> None:
    """Measure, print, write."""
    parser = ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--ours", action="store_true", help="only this package, with the cases it gets wrong")
    parser.add_argument("--shared", type=Path, default=loading.SHARED, help="folder with cases/ and corpora/")
    arguments = parser.parse_args()
    material = running.Material(loading.suites(arguments.shared), loading.recordings(arguments.shared))
    print(standing.told(running.figures(material, Loopwatch()), material))


if __name__ == "__main__":
    main()
