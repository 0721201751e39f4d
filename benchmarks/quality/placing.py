"""Where the names of points stand in a picture, so that none covers a point or another name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from matplotlib.axes import Axes
from matplotlib.path import Path
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

REACHES = (6, 12, 18, 26, 34, 44, 56, 70, 86)
"""Distances in points at which a place is looked for, nearest first."""
DIRECTIONS = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1))
MARGIN = 8
"""Pixels around a point in which no name stands but its own."""
LINE = {"arrowstyle": "-", "color": "#9ca3af", "lw": 0.6, "shrinkA": 0, "shrinkB": 3}

XY = tuple[float, float]
Direction = tuple[int, int]


class Names:
    """Puts names at points of a drawn panel, one after the other."""

    def __init__(self, axis: Axes, points: Sequence[XY]) -> None:
        self._axis = axis
        self._room = axis.get_window_extent()
        self._points = {point: self._around(point) for point in points}
        self._names: list[Bbox] = []

    def put(self, name: str, point: XY, colour: str, weight: str) -> None:
        """At the first free place; where none is, at the first at which only the line to the point is in the way."""
        for with_line, reach, direction in product((True, False), REACHES, DIRECTIONS):
            note = self._note(name, point, reach, direction)
            note.set(color=colour, fontweight=weight)
            box = note.get_window_extent()
            line = Path([self._at(point), _nearest(box, direction)])
            if self._free(box, point) and not (with_line and self._crosses(line, point)):
                break
            note.remove()
        self._names.append(box)
        if reach > REACHES[0]:
            self._axis.annotate("", point, note.get_position(), textcoords="offset points", arrowprops=LINE)

    def _note(self, name: str, point: XY, reach: int, direction: Direction) -> Annotation:
        right, up = direction
        across = {1: "left", -1: "right", 0: "center"}[right]
        upright = {1: "bottom", -1: "top", 0: "center"}[up]
        place = (right * reach, up * reach)
        return self._axis.annotate(name, point, place, textcoords="offset points", ha=across, va=upright)

    def _free(self, box: Bbox, point: XY) -> bool:
        """Whether a name here is inside the panel and covers nothing."""
        room = self._room
        inside = room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1
        return inside and not any(map(box.overlaps, self._others(point)))

    def _crosses(self, line: Path, point: XY) -> bool:
        """Whether a line from the point runs over anything but what the point itself lies in."""
        start = self._at(point)
        return any(line.intersects_bbox(place) for place in self._others(point) if not place.contains(*start))

    def _others(self, point: XY) -> list[Bbox]:
        return [*self._names, *(place for one, place in self._points.items() if one != point)]

    def _around(self, point: XY) -> Bbox:
        x, y = self._at(point)
        return Bbox.from_bounds(x - MARGIN, y - MARGIN, 2 * MARGIN, 2 * MARGIN)

    def _at(self, point: XY) -> XY:
        x, y = self._axis.transData.transform(point)
        return x, y


def _nearest(box: Bbox, direction: Direction) -> XY:
    """Where a name in some direction from its point is nearest to it."""
    x = {1: box.x0, -1: box.x1, 0: (box.x0 + box.x1) / 2}
    y = {1: box.y0, -1: box.y1, 0: (box.y0 + box.y1) / 2}
    return x[direction[0]], y[direction[1]]
