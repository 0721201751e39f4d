"""The scoreboard at a glance: loops signalled in time against false alarms, one point per detector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .loading import PUBLIC
from .placing import Names
from .ranking import same_package

OURS, RULE, RIVAL = "#c2410c", "#9ca3af", "#1d4ed8"
GROUPS = {OURS: "this package", RIVAL: "packages from PyPI", RULE: "plain rules"}
INK, GRID = "#374151", "#e5e7eb"


@dataclass(frozen=True, slots=True)
class Point:
    """One detector, or several whose figures are the same, on some suites together."""

    names: tuple[str, ...]
    in_time: float
    """Per 100 loops."""
    false_alarms: float
    """Per 100 legitimate cases."""
    colour: str


def points(detectors: Mapping[str, Mapping[str, Any]], suites: Sequence[str]) -> list[Point]:
    """Where each detector stands on some suites taken together."""
    ours = next(iter(detectors))
    places: dict[tuple[float, float], list[str]] = {}
    for name, figures in detectors.items():
        known = [figures["suites"][suite] for suite in suites]
        loops, good = (sum(suite[of] for suite in known) for of in ("loops", "legitimate"))
        in_time, alarms = (sum(suite[of] for suite in known) for of in ("in_time", "false_alarms"))
        places.setdefault((100 * in_time / max(1, loops), 100 * alarms / max(1, good)), []).append(name)

    def colour(names: Iterable[str]) -> str:
        plain = all(not detectors[name]["version"] for name in names)
        mine = any(same_package(ours, name) for name in names)
        return OURS if mine else RULE if plain else RIVAL

    return [Point(tuple(names), *place, colour(names)) for place, names in places.items()]


def draw(results: Mapping[str, Any], path: Path) -> None:
    """Write the picture: a panel for our own cases, and one for those beside the repository, where there are any."""
    detectors = results["detectors"]
    suites = list(next(iter(detectors.values()))["suites"])
    others = [suite for suite in suites if suite != PUBLIC]
    panels = {"cases of this repository": [PUBLIC] if PUBLIC in suites else [], "cases: " + ", ".join(others): others}
    panels = {title: group for title, group in panels.items() if group}
    with mpl.rc_context({"font.size": 8, "text.color": INK, "axes.labelcolor": INK}):
        figure = Figure(figsize=(7.2 * len(panels), 7.2), dpi=120, layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for axis, (title, group) in zip(axes, panels.items(), strict=True):
            _panel(axis, title, points(detectors, group))
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # names are placed in panels that stay where they are
        for axis, group in zip(axes, panels.values(), strict=True):
            _label(axis, points(detectors, group))
        figure.savefig(path, metadata={"Software": None})


def _panel(axis: Axes, title: str, shown: Sequence[Point]) -> None:
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_xlabel("false alarms per 100 legitimate cases")
    axis.set_ylabel("loops signalled in time, per 100")
    axis.grid(color=GRID)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.set_xlim(-3, max(point.false_alarms for point in shown) * 1.2 + 5)
    axis.set_ylim(-10, 104)
    for colour, group in GROUPS.items():
        of_group = [point for point in shown if point.colour == colour]
        across, up = [point.false_alarms for point in of_group], [point.in_time for point in of_group]
        axis.scatter(across, up, s=70 if colour == OURS else 32, color=colour, label=group, zorder=3)
    axis.legend(loc="lower right", frameon=False)


def _label(axis: Axes, shown: Sequence[Point]) -> None:
    names = Names(axis, [(point.false_alarms, point.in_time) for point in shown])
    for point in sorted(shown, key=lambda point: (point.colour != OURS, -point.in_time)):
        colour = INK if point.colour == RULE else point.colour
        weight = "bold" if point.colour == OURS else "normal"
        names.put("\n".join(point.names), (point.false_alarms, point.in_time), colour, weight)
