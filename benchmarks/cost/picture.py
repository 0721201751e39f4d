"""Microseconds per observed call of this package and of others, one point per workload.

``python -m cost.picture`` draws it from results.json, in an environment with matplotlib (`make quality` makes one).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from quality.picture import GRID, INK, OURS, RIVAL, RULE

from .exchanges import WORKLOADS
from .others import OURS as THIS_PACKAGE

RESULTS = Path(__file__).with_name("results.json")
MARKS = dict(zip(WORKLOADS, "osD^", strict=True))


def draw(known: Mapping[str, Any], path: Path) -> None:
    """Write the picture: the cheapest on distinct calls first, results.json's ``others`` being known."""
    names = sorted(known["costs"], key=lambda name: float(known["costs"][name]["distinct"]), reverse=True)
    with mpl.rc_context({"font.size": 8, "text.color": INK, "axes.labelcolor": INK}):
        figure = Figure(figsize=(7.2, 0.24 * len(names) + 1.2), dpi=120, layout="constrained")
        axis = figure.subplots()
        for workload, mark in MARKS.items():
            costs = [known["costs"][name][workload] for name in names]
            colours = [colour(name, known) for name in names]
            axis.scatter(costs, names, s=22, c=colours, marker=mark, zorder=3)
            axis.scatter([], [], s=22, c=INK, marker=mark, label=workload)
        axis.set_xscale("log")
        axis.set_xlabel("microseconds of CPU per observed call; grey: does not look at results")
        axis.grid(axis="x", color=GRID)
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(loc="lower left", frameon=False)
        figure.savefig(path, metadata={"Software": None})


def colour(name: str, known: Mapping[str, Any]) -> str:
    """That of this package, of one that looks at results, or of one that does not."""
    if name == THIS_PACKAGE:
        return OURS
    return RIVAL if name in known["looks_at_results"] else RULE


if __name__ == "__main__":
    if found := json.loads(RESULTS.read_text(encoding="utf-8"))["others"]:
        draw(found, RESULTS.with_suffix(".png"))
