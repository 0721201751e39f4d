"""Bars with their names and values."""

from __future__ import annotations

from drawing.colours import faded
from drawing.html import Html, css, element
from drawing.panels.canvas import Canvas
from drawing.panels.empty import empty
from drawing.panels.values import Figure, figures_of

HIGHEST = 40.0
"""Pixels of a bar at most."""


def draw(canvas: Canvas) -> Html:
    """The panel's content: one bar below the other."""
    figures = [figure for figure in figures_of(canvas) if figure.value is not None]
    if not figures:
        return empty(canvas)
    numbers = [figure.value for figure in figures if isinstance(figure.value, float)]
    low = float(figures[0].style.get("min", min(0.0, *numbers, 0.0)))
    high = float(figures[0].style.get("max", max(*numbers, low, low)))
    height = min(HIGHEST, canvas.height / len(figures) - 8)
    mode = canvas.panel.options.get("displayMode", "gradient")
    cells = [cell for figure in figures for cell in _row(figure, low, high, height, mode)]
    return element("div", *cells, class_="gauges")


def _row(figure: Figure, low: float, high: float, height: float, mode: str) -> tuple[Html, Html, Html]:
    colour = figure.style.colour(figure.value)
    return (
        element("span", figure.title),
        bar(figure, low, high, mode, height),
        element("b", figure.text, style=css(color=colour)),
    )


def bar(figure: Figure, low: float, high: float, mode: str, height: float) -> Html:
    """A bar as long as the value is large between two ends."""
    colour, share = figure.style.colour(figure.value), figure.share(low, high)
    look = css(width=f"{share * 100:.3g}%", background=_fill(figure, low, high, mode), height=height)
    edge = css(border_right=f"2px solid {colour}") if mode == "basic" else ""
    return element("div", element("div", style=f"{look};{edge}"), class_=f"track {mode}", style=css(height=height))


def _fill(figure: Figure, low: float, high: float, mode: str) -> str:
    colour, share = figure.style.colour(figure.value), figure.share(low, high)
    if mode != "gradient" or not share or figure.style.mode != "thresholds":
        return faded(colour, 0.4) if mode == "basic" else colour
    theme, steps = figure.style.theme, figure.style.thresholds
    stops = [f"{theme.colour(steps.colour(low, low, high))} 0%"]
    for value, name in steps.above:
        place = (steps.at(value, low, high) - low) / ((high - low) * share)
        if 0 < place < 1:
            stops.append(f"{theme.colour(name)} {place * 100:.3g}%")
    return f"linear-gradient(90deg, {', '.join([*stops, f'{colour} 100%'])})"
