"""Tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from drawing.colours import over
from drawing.frames import Field, Kind, Value
from drawing.html import Html, css, element
from drawing.panels.bargauge import bar
from drawing.panels.canvas import Canvas
from drawing.panels.empty import empty
from drawing.panels.values import Figure
from drawing.styles import Style, style_of, time_text, title_of
from drawing.transformations import in_order

LEAST_WIDTH = 150.0
"""Pixels of a column whose width is not given: narrower it does not become, the table is moved sideways then."""
GAUGE_HEIGHT = 22.0


@dataclass(frozen=True, slots=True)
class Column:
    """A column with its style."""

    title: str
    field: Field
    style: Style

    @property
    def ends(self) -> tuple[float, float]:
        """Of its gauges: what is set, else the least and the largest value."""
        known = [value for value in self.field.numbers if value is not None]
        low, high = self.style.get("min", min(known, default=0.0)), self.style.get("max", max(known, default=1.0))
        return float(low), float(high)

    @property
    def side(self) -> str:
        """Where its values stand."""
        align = self.style.get("custom.align", "auto")
        right = align == "right" or (align in ("auto", "") and self.field.kind is Kind.NUMBER)
        return "right" if right else "center" if align == "center" else "left"


def draw(canvas: Canvas) -> Html:
    """The panel's content: the first frame, of others only that they are there."""
    columns = _columns(canvas) if canvas.frames else []
    count = len(columns[0].field.values) if columns else 0
    if not count:
        return empty(canvas)
    head = (element("th", column.title, style=css(text_align=column.side)) for column in columns)
    rows = (element("tr", *(_cell(column, place) for column in columns)) for place in range(count))
    widths = _widths(columns, canvas.width)
    cells = (element("thead", element("tr", *head)), element("tbody", *rows))
    table = element("table", *(_col(width) for width in widths), *cells, style=css(width=sum(widths)))
    more = element("p", f"1 of {len(canvas.frames)} tables") if len(canvas.frames) > 1 else ""
    return element("div", table, more, class_="rows")


def _col(width: float) -> Html:
    return element("colgroup", style=css(width=width))


def _columns(canvas: Canvas) -> list[Column]:
    frame = canvas.frames[0]
    for wish in canvas.panel.options.get("sortBy", ())[:1]:
        frame = in_order(frame, wish["displayName"], descending=bool(wish.get("desc")))
    styles = [(field, style_of(canvas.panel, field, frame, canvas.theme)) for field in frame.fields]
    return [Column(title_of(style, field), field, style) for field, style in styles if not _hidden(style)]


def _hidden(style: Style) -> bool:
    return bool(style.get("custom.hidden") or style.get("custom.hideFrom", {}).get("viz"))


def _widths(columns: Sequence[Column], width: float) -> list[float]:
    given = [column.style.get("custom.width") for column in columns]
    free = [column for column, wish in zip(columns, given, strict=True) if not wish]
    share = (width - sum(wish or 0 for wish in given)) / (len(free) or 1)
    least = [float(column.style.get("custom.minWidth", LEAST_WIDTH)) for column in columns]
    return [float(wish) if wish else max(share, low) for wish, low in zip(given, least, strict=True)]


def _cell(column: Column, place: int) -> Html:
    value = column.field.values[place]
    options: dict[str, Any] = column.style.get("custom.cellOptions", {})
    kind = options.get("type") or column.style.get("custom.displayMode") or "auto"
    text = time_text(value) if column.field.kind is Kind.TIME else column.style.text(value)
    linked = "link" if column.style.get("links") else ""
    if kind == "gauge" and value is not None:
        return element("td", _gauge(column, value, text, options.get("mode", "basic")))
    return element("td", text, class_=linked, style=f"{css(text_align=column.side)};{_paint(column, value, kind)}")


def _paint(column: Column, value: Value, kind: str) -> str:
    if value is None or kind not in ("color-background", "color-text"):
        return ""
    colour = column.style.colour(value)
    return css(color=colour) if kind == "color-text" else css(background=colour, color=over(colour))


def _gauge(column: Column, value: Value, text: str, mode: str) -> Html:
    figure = Figure(column.title, value, column.style)
    low, high = column.ends
    written = element("b", text, style=css(color=column.style.colour(value)))
    return element("div", bar(figure, low, high, mode, GAUGE_HEIGHT), written, class_="gauge")
