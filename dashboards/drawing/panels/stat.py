"""Big figures."""

from __future__ import annotations

from drawing.colours import faded, over
from drawing.html import Html, css, element
from drawing.panels.canvas import Canvas
from drawing.panels.empty import empty
from drawing.panels.values import Figure, figures_of

LETTER, LINE = 0.6, 1.2
"""Width and height of a letter, as parts of the size of the font."""
LARGEST_TITLE = 30.0
SPARK = 0.3
"""Part of the height that the line of past values has."""


def draw(canvas: Canvas) -> Html:
    """The panel's content: the figures beside or below each other, as the panel is wider or higher."""
    figures = figures_of(canvas)
    if not figures or (len(figures) == 1 and figures[0].value is None):
        return empty(canvas)
    wish = canvas.panel.options.get("orientation", "auto")
    upright = wish == "horizontal" or (wish == "auto" and canvas.height > canvas.width)
    count = len(figures)
    width = canvas.width if upright else canvas.width / count
    height = canvas.height / count if upright else canvas.height
    named = _named(canvas, count)
    boxes = [_box(canvas, figure, width, height, named=named) for figure in figures]
    return element("div", *boxes, class_="figures", style=css(flex_direction="column" if upright else "row"))


def _named(canvas: Canvas, count: int) -> bool:
    mode = canvas.panel.options.get("textMode", "auto")
    return mode in ("name", "value_and_name") or (mode == "auto" and count > 1)


def _box(canvas: Canvas, figure: Figure, width: float, height: float, *, named: bool) -> Html:
    colour, mode = figure.style.colour(figure.value), canvas.panel.options.get("colorMode", "value")
    filled = mode.startswith("background")
    past = figure.past if canvas.panel.options.get("graphMode", "area") == "area" and len(figure.past) > 1 else ()
    room = height * (1 - SPARK if past else 1)
    largest = size(figure.text, width, room * (0.6 if named else 0.85))
    value = element("b", figure.text, style=css(font_size=largest, color=colour if mode == "value" else "inherit"))
    parts = (_title(figure, width, room) if named else "", value, _spark(past, colour, width, height * SPARK))
    return element("div", *parts, class_="figure", style=css(background=colour, color=over(colour)) if filled else "")


def _title(figure: Figure, width: float, height: float) -> Html:
    largest = min(LARGEST_TITLE, size(figure.title, width, height * 0.25))
    return element("span", figure.title, style=css(font_size=largest))


def size(text: str, width: float, height: float) -> float:
    """The largest font in which a text fits into a box, in pixels."""
    return max(10.0, min(width * 0.9 / (LETTER * max(len(text), 1)), height / LINE))


def _spark(past: tuple[float | None, ...], colour: str, width: float, height: float) -> Html:
    known = [value for value in past if value is not None]
    if len(known) < 2:
        return Html()
    low, high = min(known), max(known)
    across, up = width / (len(past) - 1), (height - 4) / ((high - low) or 1)
    places = [(n * across, height - 2 - (value - low) * up) for n, value in enumerate(past) if value is not None]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    area = f"{places[0][0]:.1f},{height:.1f} {line} {places[-1][0]:.1f},{height:.1f}"
    return element(
        "svg",
        element("polygon", points=area, fill=faded(colour, 0.2)),
        element("polyline", points=line, fill="none", stroke=colour),
        width=f"{width:.0f}",
        height=f"{height:.0f}",
    )
