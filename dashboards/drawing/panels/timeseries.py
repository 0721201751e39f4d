"""Lines, areas and bars over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from drawing import axes
from drawing.colours import faded
from drawing.html import Html
from drawing.panels import chart
from drawing.panels.canvas import Canvas
from drawing.panels.empty import empty
from drawing.panels.legend import legend, legend_height
from drawing.panels.series import Series, series_of

Trace = dict[str, Any]
SHAPES = {"linear": "linear", "smooth": "spline", "stepBefore": "vh", "stepAfter": "hv"}
BAR_WIDTH = 0.9


def draw(canvas: Canvas) -> Html:
    """The panel's content."""
    series = series_of(canvas)
    if not any(value is not None for each in series for value in each.values):
        return empty(canvas)
    drawn = [each for each in series if not each.hidden("viz")]
    first, options = drawn[0].style, canvas.panel.options.get("legend", {})
    low, high = _extent(drawn)
    pixels = canvas.height - legend_height(options, len(series), canvas.height) - chart.TOP - chart.BOTTOM
    shapes = [*chart.threshold_shapes(first, low, high), *chart.mark_shapes(canvas)]
    layout = chart.layout(canvas, chart.value_axis(first, low, high, pixels), shapes)
    traces = [trace for each in drawn for trace in _traces(each)]
    return chart.chart([*traces, chart.mark_points(canvas, low)], layout, legend(series, options), options)


def _extent(series: Sequence[Series]) -> tuple[float, float]:
    style = series[0].style
    values = [value for each in series for value in each.tops if value is not None]
    soft = (style.get("custom.axisSoftMin"), style.get("custom.axisSoftMax"))
    values += [float(value) for value in soft if value is not None]
    return axes.extent(values, style.get("min"), style.get("max"))


def _traces(series: Series) -> Iterator[Trace]:
    if series.style.get("custom.drawStyle", "line") == "bars":
        yield _bars(series)
        return
    if opacity := series.style.get("custom.fillOpacity", 0):
        yield from _areas(series, faded(series.colour, opacity / 100))
    if series.style.get("custom.drawStyle", "line") == "line":
        yield _line(series)
    yield _points(series)


def _bars(series: Series) -> Trace:
    opacity = series.style.get("custom.fillOpacity", 0) / 100
    outline = {"color": series.colour, "width": series.style.get("custom.lineWidth", 1)}
    return {
        "type": "bar",
        "x": series.times,
        "y": series.values,
        "base": series.base or 0,
        "width": series.step * BAR_WIDTH,
        "marker": {"color": faded(series.colour, opacity), "line": outline},
    }


def _line(series: Series) -> Trace:
    dash = "dash" if series.style.get("custom.lineStyle", {}).get("fill") in ("dash", "dot") else "solid"
    return {
        "type": "scatter",
        "mode": "lines",
        "x": series.times,
        "y": series.tops,
        "connectgaps": bool(series.style.get("custom.spanNulls")),
        "line": {
            "color": series.colour,
            "width": series.style.get("custom.lineWidth", 1),
            "shape": _shape(series),
            "dash": dash,
        },
    }


def _shape(series: Series) -> str:
    return SHAPES[series.style.get("custom.lineInterpolation", "linear")]


def _points(series: Series) -> Trace:
    """All points, or those that would be lost as lines because they stand alone."""
    wish = series.style.get("custom.showPoints", "auto")
    around = zip((None, *series.tops), series.tops, (*series.tops[1:], None), strict=False)
    alone = [left is None and right is None for left, _, right in around]
    every = wish == "always" or series.style.get("custom.drawStyle") == "points"
    kept = [(time, top) for time, top, one in zip(series.times, series.tops, alone, strict=True) if every or one]
    kept = [] if wish == "never" else kept
    size = series.style.get("custom.pointSize", 5)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [time for time, _ in kept],
        "y": [top for _, top in kept],
        "marker": {"color": series.colour, "size": size},
    }


def _areas(series: Series, colour: str) -> Iterator[Trace]:
    """What lies between a line and its base, one polygon for each stretch without gaps."""
    base = series.base or (0.0,) * len(series.times)
    points = list(zip(series.times, series.tops, base, strict=True))
    if series.style.get("custom.spanNulls"):
        points = [point for point in points if point[1] is not None]
    for there, stretch in groupby(points, key=lambda point: point[1] is not None):
        if there:
            times, tops, feet = zip(*stretch, strict=True)
            yield {
                "type": "scatter",
                "mode": "lines",
                "fill": "toself",
                "fillcolor": colour,
                "line": {"width": 0, "shape": _shape(series)},
                "x": [*times, *reversed(times)],
                "y": [*tops, *reversed(feet)],
            }
