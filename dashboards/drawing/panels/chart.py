"""What all charts of plotly have in common: axes, thresholds, annotations, the legend's place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from drawing import axes
from drawing.colours import faded
from drawing.html import Html, element
from drawing.panels.canvas import Canvas
from drawing.panels.legend import beside
from drawing.styles import Style

Part = dict[str, Any]
FONT = 12
LEFT, BOTTOM, TOP, RIGHT = 56, 22, 8, 12
MILLISECONDS = 1000


def chart(traces: Sequence[Part], layout: Part, legend: Html, options: Part) -> Html:
    """A chart with its legend; the page's script draws it."""
    drawn = element("div", class_="chart", data_figure=json.dumps({"data": traces, "layout": layout}))
    return element("div", drawn, legend, class_="beside" if beside(options) else "below")


def layout(canvas: Canvas, values: Part, shapes: Sequence[Part]) -> Part:
    """The layout of a chart over time; ``values`` is its y axis."""
    pixels = canvas.width - LEFT - RIGHT
    times = axes.moments(canvas.window, pixels)
    line = {"gridcolor": canvas.theme.grid, "zeroline": False, "ticks": "", "fixedrange": True}
    return {
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "Inter, Liberation Sans, Arial, sans-serif", "size": FONT, "color": canvas.theme.text},
        "showlegend": False,
        "barmode": "overlay",
        "shapes": list(shapes),
        "xaxis": {
            **line,
            "type": "linear",
            "range": [canvas.window.start, canvas.window.end],
            "tickvals": [time for time, _ in times],
            "ticktext": [text for _, text in times],
        },
        "yaxis": {**line, **values},
    }


def value_axis(style: Style, low: float, high: float, pixels: float) -> Part:
    """A y axis, marked in the unit of its series."""
    marks = axes.marks(low, high, pixels, whole=style.get("decimals") == 0)
    title = style.get("custom.axisLabel", "")
    return {
        "range": [low, high],
        "tickvals": marks,
        "ticktext": [style.text(float(mark)) for mark in marks],
        **({"title": {"text": title, "standoff": 4}} if title else {}),
    }


def threshold_shapes(style: Style, low: float, high: float) -> Iterator[Part]:
    """Lines and areas of thresholds, as the style of the series wants them."""
    mode = style.get("custom.thresholdsStyle", {}).get("mode", "off")
    steps = style.thresholds
    above = [(steps.at(value, low, high), style.theme.colour(name)) for value, name in steps.above]
    tops = [value for value, _ in above[1:]] + [high]
    for (value, colour), top in zip(above, tops, strict=False):
        if "area" in mode and value < high:
            yield band(value, min(top, high), faded(colour, 0.1))
        if ("line" in mode or "dashed" in mode) and low <= value <= high:
            yield across(value, colour, dashed="dashed" in mode)


def across(value: float, colour: str, *, dashed: bool) -> Part:
    """A line from left to right."""
    line = {"color": colour, "width": 1.5, "dash": "8px,6px" if dashed else "solid"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value, "line": line}


def band(low: float, high: float, colour: str) -> Part:
    """A stripe from left to right, behind the series."""
    place = {"xref": "paper", "x0": 0, "x1": 1, "y0": low, "y1": high}
    return {"type": "rect", **place, "fillcolor": colour, "line": {"width": 0}, "layer": "below"}


def mark_shapes(canvas: Canvas) -> Iterator[Part]:
    """Dashed lines from top to bottom at annotations, and a veil over those that last."""
    for mark in canvas.marks:
        colour = canvas.theme.colour(mark.colour)
        line = {"color": colour, "width": 1, "dash": "4px,4px"}
        for time in sorted({mark.start, mark.end}):
            yield {"type": "line", "yref": "paper", "x0": time, "x1": time, "y0": 0, "y1": 1, "line": line}
        if mark.end > mark.start:
            place = {"yref": "paper", "x0": mark.start, "x1": mark.end, "y0": 0, "y1": 1}
            yield {"type": "rect", **place, "fillcolor": faded(colour, 0.1), "line": {"width": 0}}


def mark_points(canvas: Canvas, low: float) -> Part:
    """A small triangle at the foot of each annotation."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [mark.start for mark in canvas.marks],
        "y": [low for _ in canvas.marks],
        "cliponaxis": False,
        "marker": {
            "symbol": "triangle-up",
            "size": 9,
            "color": [canvas.theme.colour(mark.colour) for mark in canvas.marks],
        },
    }
