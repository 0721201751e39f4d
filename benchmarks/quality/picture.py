"""The scoreboard at a glance: loops signalled in time against false alarms, one point per detector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from .loading import PUBLIC

OURS, RULE, RIVAL = "#c2410c", "#9ca3af", "#1d4ed8"
GROUPS = {OURS: "this package", RIVAL: "packages from PyPI", RULE: "plain rules"}
INK, GRID = "#374151", "#e5e7eb"
REACHES = (6, 14, 22, 32, 44, 58, 76)
"""Distances in points at which a place for a name is looked for, nearest first."""
MARGIN = 9
"""Pixels around a point in which no name of another stands."""
DIRECTIONS = ((1, 0), (1, 1), (1, -1), (-1, 0), (-1, 1), (-1, -1), (0, 1), (0, -1))


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
        return OURS if ours in names else RULE if plain else RIVAL

    return [Point(tuple(names), *place, colour(names)) for place, names in places.items()]


def draw(results: Mapping[str, Any], path: Path) -> None:
    """Write the picture: a panel for our own cases, and one for those beside the repository, where there are any."""
    detectors = results["detectors"]
    suites = list(next(iter(detectors.values()))["suites"])
    others = [suite for suite in suites if suite != PUBLIC]
    panels = {"cases of this repository": [PUBLIC] if PUBLIC in suites else [], "cases: " + ", ".join(others): others}
    panels = {title: group for title, group in panels.items() if group}
    with mpl.rc_context({"font.size": 8, "text.color": INK, "axes.labelcolor": INK}):
        figure = Figure(figsize=(7.2 * len(panels), 6.4), dpi=120, layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for axis, (title, group) in zip(axes, panels.items(), strict=True):
            _panel(axis, title, points(detectors, group))
        figure.canvas.draw()
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
    axis.set_xlim(-3, max(point.false_alarms for point in shown) * 1.25 + 5)
    axis.set_ylim(-8, 104)
    for point in shown:
        axis.scatter(
            point.false_alarms, point.in_time, s=70 if point.colour == OURS else 32, color=point.colour, zorder=3
        )


def _label(axis: Axes, shown: Sequence[Point]) -> None:
    """A name at each point, where it covers neither another name nor a point."""
    taken = [_around(axis, point) for point in shown]
    for point in sorted(shown, key=lambda point: (point.colour != OURS, -point.in_time)):
        taken.append(_placed(axis, point, taken))


def _around(axis: Axes, point: Point) -> Bbox:
    x, y = axis.transData.transform((point.false_alarms, point.in_time))
    return Bbox.from_bounds(x - MARGIN, y - MARGIN, 2 * MARGIN, 2 * MARGIN)


def _placed(axis: Axes, point: Point, taken: Sequence[Bbox]) -> Bbox:
    """The box of the name at the first free place; at the last one where none is free."""
    room = axis.get_window_extent()
    for reach, direction in product(REACHES, DIRECTIONS):
        note = _name(axis, point, reach, *direction)
        box = note.get_window_extent()
        if (reach, direction) == (REACHES[-1], DIRECTIONS[-1]) or _free(box, room, taken):
            break
        note.remove()
    if reach > REACHES[0]:
        _line(axis, point, note)
    return box


def _free(box: Bbox, room: Bbox, taken: Sequence[Bbox]) -> bool:
    inside = room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1
    return inside and not any(box.overlaps(other) for other in taken)


def _name(axis: Axes, point: Point, reach: int, right: int, up: int) -> Annotation:
    return axis.annotate(
        "\n".join(point.names),
        (point.false_alarms, point.in_time),
        xytext=(right * reach, up * reach),
        textcoords="offset points",
        ha={1: "left", -1: "right", 0: "center"}[right],
        va={1: "bottom", -1: "top", 0: "center"}[up],
        color=INK if point.colour == RULE else point.colour,
        fontweight="bold" if point.colour == OURS else "normal",
    )


def _line(axis: Axes, point: Point, note: Annotation) -> None:
    """From the point to its name, where that stands apart."""
    axis.annotate(
        "",
        (point.false_alarms, point.in_time),
        xytext=note.get_position(),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-", "color": RULE, "lw": 0.6, "shrinkA": 0, "shrinkB": 3},
    )
