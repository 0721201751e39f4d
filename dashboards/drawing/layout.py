"""Where panels come to be on the page, in pixels: a grid of 24 columns in which, as in Grafana, panels rise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drawing.model import Panel, Place

PAGE, MARGIN = 1600, 16
COLUMNS, ROW, GAP = 24, 30, 8
COLUMN = (PAGE - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels."""

    left: float
    top: float
    width: float
    height: float


def box(place: Place) -> Box:
    """The pixels of a place in the grid."""
    return Box(
        left=place.x * (COLUMN + GAP),
        top=place.y * (ROW + GAP),
        width=place.w * COLUMN + (place.w - 1) * GAP,
        height=place.h * ROW + (place.h - 1) * GAP,
    )


def risen(panels: Sequence[Panel]) -> Iterator[tuple[Panel, Box]]:
    """Each panel with its box, from top to bottom: gaps are closed, and what overlaps is pushed down, as in Grafana."""
    taken: list[Place] = []
    for panel in sorted(panels, key=lambda each: (each.place.y, each.place.x)):
        place = panel.place
        while place.y and not _met(replace(place, y=place.y - 1), taken):
            place = replace(place, y=place.y - 1)
        while _met(place, taken):
            place = replace(place, y=place.y + 1)
        taken.append(place)
        yield panel, box(place)


def _met(place: Place, taken: Sequence[Place]) -> bool:
    return any(place.meets(each) for each in taken)
