"""What the colours of a chart mean, below it or beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drawing.calcs import CALCS, reduced
from drawing.html import Html, css, element, html, joined
from drawing.panels.series import Series

Options = dict[str, Any]


def beside(options: Options) -> bool:
    """Whether the legend stands to the right of the chart."""
    return _there(options) and options.get("placement", "bottom") == "right"


def legend_height(options: Options, count: int, height: float) -> float:
    """About how many pixels it takes from below a chart."""
    if not _there(options) or beside(options):
        return 0.0
    rows = count + 1 if options.get("displayMode") == "table" else 1
    return min(rows * 24.0 + 6, height * 0.35)


def _there(options: Options) -> bool:
    return options.get("displayMode", "list") != "hidden" and bool(options.get("showLegend", True))


def legend(series: Sequence[Series], options: Options) -> Html:
    """A list or a table of the series; nothing where none is wished for."""
    shown = [each for each in series if not each.hidden("legend")]
    if not _there(options) or not shown:
        return Html()
    calcs = options.get("calcs", ())
    return _table(shown, calcs) if options.get("displayMode") == "table" else _list(shown, calcs)


def _list(series: Sequence[Series], calcs: Sequence[str]) -> Html:
    items = [
        element("li", _swatch(each), element("span", each.title), *(_calc(each, calc, named=True) for calc in calcs))
        for each in series
    ]
    return element("ul", *items, class_="legend")


def _table(series: Sequence[Series], calcs: Sequence[str]) -> Html:
    head = element("tr", element("th", "Name"), *(element("th", CALCS[calc][0]) for calc in calcs))
    rows = [
        element(
            "tr",
            element("td", _swatch(each), element("span", each.title)),
            *(element("td", _calc(each, calc, named=False)) for calc in calcs),
        )
        for each in series
    ]
    return element("div", element("table", head, *rows), class_="legend")


def _swatch(series: Series) -> Html:
    return element("i", style=css(background=series.colour))


def _calc(series: Series, calc: str, *, named: bool) -> Html:
    text = series.style.text(reduced(series.values, calc))
    return element("em", f"{CALCS[calc][0]}: {text}") if named else joined([html(text)])
