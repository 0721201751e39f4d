"""Histograms over time: how many values fell into which bucket when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from drawing.colours import faded
from drawing.data import BUCKET
from drawing.frames import Frame, Kind
from drawing.html import Html, css, element
from drawing.panels import chart
from drawing.panels.canvas import Canvas
from drawing.panels.empty import empty
from drawing.units import formatted

SCHEMES = {
    "Blues": ("#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b"),
    "Greens": ("#f7fcf5", "#c7e9c0", "#74c476", "#238b45", "#00441b"),
    "Oranges": ("#fff5eb", "#fdd0a2", "#fd8d3c", "#d94801", "#7f2704"),
    "Purples": ("#fcfbfd", "#dadaeb", "#9e9ac8", "#6a51a3", "#3f007d"),
    "Reds": ("#fff5f0", "#fcbba1", "#fb6a4a", "#cb181d", "#67000d"),
    "Spectral": ("#9e0142", "#f46d43", "#ffffbf", "#66c2a5", "#5e4fa2"),
    "YlOrRd": ("#ffffcc", "#fed976", "#fd8d3c", "#e31a1c", "#800026"),
}
DARK_TO_LIGHT = ("Spectral",)
"""Schemes that are not turned round on dark pages."""
Counts = list[list[float | None]]


def draw(canvas: Canvas) -> Html:
    """The panel's content."""
    counts = differences([frame.fields[-1].numbers for frame in canvas.frames])
    top = max((value for row in counts for value in row if value is not None), default=0.0)
    if not top:
        return empty(canvas)
    colours = _colours(canvas)
    traces = [_trace(canvas, counts, colours, top)]
    layout = chart.layout(canvas, _axis(canvas), list(chart.mark_shapes(canvas)))
    shown = canvas.panel.options.get("legend", {}).get("show", True)
    return chart.chart(traces, layout, _scale(colours, top) if shown else Html(), {})


def differences(cumulative: Sequence[Sequence[float | None]]) -> Counts:
    """How many fell into each bucket, where each row holds those of the rows before it as well; zero is nothing."""
    below: Sequence[float | None] = [0.0] * len(cumulative[0]) if cumulative else []
    rows: Counts = []
    for row in cumulative:
        pairs = zip(row, below, strict=True)
        rows.append([None if at is None or at <= (less or 0.0) else at - (less or 0.0) for at, less in pairs])
        below = row
    return rows


def _trace(canvas: Canvas, counts: Counts, colours: Sequence[str], top: float) -> dict[str, Any]:
    times, gap = canvas.frames[0].first(Kind.TIME), canvas.panel.options.get("cellGap", 1)
    return {
        "type": "heatmap",
        "x": times.values if times else (),
        "y": [place + 0.5 for place in range(len(counts))],
        "z": counts,
        "zmin": 0,
        "zmax": top,
        "xgap": gap if canvas.width / len(counts[0]) > 4 * gap else 0,
        "ygap": gap,
        "colorscale": [[place / (len(colours) - 1), colour] for place, colour in enumerate(colours)],
        "showscale": False,
        "hoverongaps": False,
    }


def _colours(canvas: Canvas) -> tuple[str, ...]:
    wish = canvas.panel.options.get("color", {})
    if wish.get("mode") == "opacity":
        colour = canvas.theme.colour(wish.get("fill", "dark-orange"))
        return faded(colour, 0.05), colour
    scheme = SCHEMES[wish.get("scheme", "Oranges")]
    turned = bool(wish.get("reverse")) != (canvas.theme.name == "dark" and wish.get("scheme") not in DARK_TO_LIGHT)
    return scheme[::-1] if turned else scheme


def _axis(canvas: Canvas) -> dict[str, Any]:
    count = len(canvas.frames)
    unit = canvas.panel.options.get("yAxis", {}).get("unit") or canvas.panel.defaults.get("unit", "")
    every = max(1, round(count * chart.FONT * 1.6 / canvas.height))
    places = range(count - 1, -1, -every)
    return {
        "range": [0, count],
        "tickvals": [place + 1 for place in places],
        "ticktext": [_edge(canvas.frames[place], unit) for place in places],
    }


def _edge(frame: Frame, unit: str) -> str:
    edge = float(frame.fields[-1].labels.get(BUCKET, "inf"))
    return "+Inf" if math.isinf(edge) else formatted(edge, unit)


def _scale(colours: Sequence[str], top: float) -> Html:
    bar = element("i", style=css(background=f"linear-gradient(90deg, {', '.join(colours)})"))
    return element("div", element("span", "0"), bar, element("span", formatted(top, "short")), class_="scale")
