"""Whether a line learnt from good runs keeps its promise, and what it saves.

Prints the figures and writes results.md and results.json beside this program. Made-up runs are always there; recorded
runs of real agents are read from corpora/ in the folder that --shared names.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from . import groups, report, simulation
from .runs import RECORDINGS, Course, courses
from .scores import LENGTH, SCORES
from .trials import DRAWS, Found, Halves, average, bootstrap, either, halves, interval, trials

HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared"
SEED = 20
LENGTH_AT = list(SCORES).index(LENGTH)


def main() -> None:
    """Measure, print, write."""
    parser = ArgumentParser("benchmarks.calibration", description=__doc__)
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with corpora/ (default: %(default)s)")
    folder = parser.parse_args().shared / "corpora"
    recorded = {one.name: courses(one, folder) for one in RECORDINGS}
    results = {
        "simulation": simulated(),
        "recordings": {name: measured(runs) for name, runs in recorded.items() if runs},
        "absent": [name for name, runs in recorded.items() if not runs],
    }
    text = report.markdown(results)
    (HERE / "results.md").write_text(text, encoding="utf-8")
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(text)


def simulated() -> dict[str, Any]:
    """Runs made up."""
    rng = Random(SEED)
    alone = [
        {"runs": past, "alpha": alpha, "stopped": found}
        for (past, alpha), found in simulation.exchangeable(rng).items()
    ]
    return {"exchangeable": alone, "repeated tasks": simulation.repeated(rng)}


def measured(runs: Sequence[Course]) -> dict[str, Any]:
    """One set of recorded runs."""
    rng, known = Random(SEED), halves(runs)
    sizes = {"good": len(known.good), "failing": len(known.failing)}
    return sizes | {
        "scores": _scores(known, rng),
        "two lines": average([one] for _ in range(DRAWS) for one in either(known, rng))[0]._asdict(),
        "tasks": {"tasks": len(groups.tasks(known.good)), **_tasks(runs, rng)},
        "agents": groups.agents(runs, rng),
    }


def _tasks(runs: Sequence[Course], rng: Random) -> dict[str, Any]:
    """Nothing where no task has two good runs."""
    if all(len(task.good) < 2 for task in groups.tasks(runs)):
        return {}
    return {way: found._asdict() for way, found in groups.new_tasks(runs, rng).items()}


def _scores(known: Halves, rng: Random) -> dict[str, Any]:
    split = [found for _ in range(DRAWS) for found in trials(SCORES.values(), known, rng)]
    sampled = list(bootstrap(list(SCORES.values()), known, rng))
    means = average(split)
    return {
        name: {
            "stopped": means[at].stopped,
            "stopped, 95 % of samples": interval(sample[at].stopped for sample in sampled),
            "stopped, 90 % of splits": interval((found[at].stopped for found in split), 0.9),
            "saved": means[at].saved,
            "saved, 95 % of samples": interval(sample[at].saved for sample in sampled),
            "more than calls alone": _more(means, at),
            "more, 95 % of samples": interval(_more(sample, at) for sample in sampled),
        }
        for at, name in enumerate(SCORES)
    }


def _more(found: Sequence[Found], at: int) -> float:
    return found[at].saved - found[LENGTH_AT].saved


if __name__ == "__main__":
    main()
