"""Panels by their type, each with the function that draws what is inside of it."""

from __future__ import annotations

from collections.abc import Callable

from drawing.html import Html
from drawing.panels import bargauge, heatmap, row, stat, table, text, timeseries
from drawing.panels.canvas import Canvas

Drawing = Callable[[Canvas], Html]

PANELS: dict[str, Drawing] = {
    "bargauge": bargauge.draw,
    "heatmap": heatmap.draw,
    "row": row.draw,
    "stat": stat.draw,
    "table": table.draw,
    "text": text.draw,
    "timeseries": timeseries.draw,
}


def drawing_of(kind: str) -> Drawing:
    """What draws panels of a type.

    :raises ValueError: for a type that is not drawn.
    """
    if kind not in PANELS:
        raise ValueError(f"panel type {kind!r} is not one of {', '.join(PANELS)}")
    return PANELS[kind]
