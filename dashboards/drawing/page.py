"""The whole page: title bar, drop-downs, panels in their grid, style and scripts, all in one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from live.api import Refused

from drawing import layout, marks
from drawing.colours import Theme
from drawing.data import Sources, frames_of
from drawing.html import Html, css, element
from drawing.layout import Box
from drawing.model import Dashboard, Panel
from drawing.panels import drawing_of
from drawing.panels.canvas import Canvas
from drawing.transformations import transformed
from drawing.units import moment
from drawing.variables import Variable

POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="'
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    '">'
)
"""Nothing comes from outside."""
FURNITURE = ("row",)
"""Panels without a frame and a head."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page, and what could not be drawn of it: titles of panels and why."""

    html: str
    faults: Sequence[str]


def page(dashboard: Dashboard, variables: Sequence[Variable], sources: Sources, theme: Theme) -> Drawn:
    """The page of a dashboard."""
    annotations = marks.marks_of(dashboard.annotations, sources)
    placed = list(layout.risen(dashboard.panels))
    faults: list[str] = []
    panels = [_panel(panel, box, sources, theme, annotations, faults) for panel, box in placed]
    height = max((box.top + box.height for _, box in placed), default=0.0)
    grid = element("main", *panels, style=css(height=height))
    body = element("body", _bar(dashboard, sources), _controls(dashboard, variables, theme), grid, *_scripts())
    head = element("head", Html(f'<meta charset="utf-8">{POLICY}'), element("title", dashboard.title), _style(theme))
    return Drawn(f"<!doctype html>{element('html', head, body, lang='en')}", faults)


def _panel(
    panel: Panel, box: Box, sources: Sources, theme: Theme, annotations: Sequence[marks.Mark], faults: list[str]
) -> Html:
    place = css(left=box.left, top=box.top, width=box.width, height=box.height)
    try:
        frames = transformed(frames_of(panel, box, sources), panel.transformations)
        canvas = Canvas(panel, frames, box, theme, sources.window, annotations)
        content = drawing_of(panel.type)(canvas)
    except (Refused, ValueError) as reason:
        faults.append(f"{panel.title}: {reason}")
        content = element("p", str(reason), class_="fault")
    if panel.type in FURNITURE:
        return element("section", content, style=place)
    return element("section", _head(panel), element("div", content, class_="content"), class_="panel", style=place)


def _head(panel: Panel) -> Html:
    info = element("i", "i", class_="info", title=panel.description) if panel.description else ""
    return element("header", element("h2", panel.title), info) if panel.title else Html()


def _bar(dashboard: Dashboard, sources: Sources) -> Html:
    shown = f"{moment(sources.window.start)} to {moment(sources.window.end)} UTC"
    path = element("span", "Home › Dashboards › ", class_="path")
    return element("nav", element("h1", path, dashboard.title), element("span", shown, class_="button"))


def _controls(dashboard: Dashboard, variables: Sequence[Variable], theme: Theme) -> Html:
    drops = [element("span", element("em", each.label), element("b", f"{each.shown} ⌄")) for each in variables]
    switches = [
        element("span", element("i", style=css(background=theme.colour(each.get("iconColor", "")))), each["name"])
        for each in marks.shown(dashboard.annotations)
    ]
    links = [element("span", f"{link.get('title', '')}{' ⌄' * link.get('asDropdown', 0)}") for link in dashboard.links]
    kinds = (("drops", drops), ("switches", switches), ("links", links))
    return element("div", *(element("div", *parts, class_=kind) for kind, parts in kinds), class_="controls")


def _style(theme: Theme) -> Html:
    names = ("canvas", "panel", "text", "faint", "border", "grid", "link")
    values = "".join(f"--{name}:{getattr(theme, name)};" for name in names)
    return element("style", Html(f":root{{{values}color-scheme:{theme.name}}}{_text('drawing', 'page.css')}"))


def _scripts() -> Iterator[Html]:
    yield element("script", Html(_text("plotly", "package_data/plotly.min.js")))
    yield element("script", Html(_text("drawing", "page.js")))


def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")
