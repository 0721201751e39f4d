"""Panels as Grafana keeps them: one function per kind, in the classic schema that Grafana 10 to 13 import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

Json = dict[str, Any]

PROMETHEUS = {"type": "prometheus", "uid": "${datasource}"}
TEMPO = {"type": "tempo", "uid": "${tempo_datasource}"}

GREEN, ORANGE, RED, BLUE, GREY = "green", "orange", "red", "blue", "text"
BARS = 90
"""Bars in a graph: as many as can be told apart."""
MEDIUM = 8
"""Height of most panels, in cells of the grid."""


class Unit(str, Enum):
    """How values are shown: Grafana's ids."""

    NUMBER = "short"
    SHARE = "percentunit"
    SECONDS = "s"
    PER_SECOND = "cps"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Target:
    """One query of a panel."""

    expr: str
    legend: str = ""


@dataclass(frozen=True, slots=True)
class Threshold:
    """From this value on, this colour."""

    color: str
    value: float | None = None
    """``None`` for the lowest."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel without its place."""

    kind: str
    title: str
    description: str
    """A sentence or two: what it shows, and what to make of it."""
    unit: Unit
    targets: tuple[Json, ...]
    width: int
    height: int = MEDIUM
    datasource: Mapping[str, str] = field(default_factory=lambda: PROMETHEUS)
    custom: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    overrides: tuple[Json, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    transformations: tuple[Json, ...] = ()
    points: int | None = None
    """Most points of each series; ``None`` for one per pixel."""

    def built(self, number: int, x: int, y: int) -> Json:
        """The panel as Grafana keeps it, at its place in the grid."""
        targets = [{"refId": chr(ord("A") + index), **target} for index, target in enumerate(self.targets)]
        return {
            "id": number,
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "datasource": dict(self.datasource),
            "gridPos": {"x": x, "y": y, "w": self.width, "h": self.height},
            "fieldConfig": {
                "defaults": {"unit": self.unit.value, **self.defaults, "custom": dict(self.custom)},
                "overrides": list(self.overrides),
            },
            "options": dict(self.options),
            "targets": [{"datasource": dict(self.datasource), **target} for target in targets],
            "transformations": list(self.transformations),
            **({"maxDataPoints": self.points} if self.points else {}),
        }


@dataclass(frozen=True, slots=True)
class Row:
    """A heading over panels."""

    title: str

    def built(self, number: int, y: int) -> Json:
        """The row as Grafana keeps it."""
        place = {"x": 0, "y": y, "w": 24, "h": 1}
        return {"id": number, "type": "row", "title": self.title, "collapsed": False, "gridPos": place, "panels": []}


def steps(*thresholds: Threshold) -> Json:
    """Thresholds as Grafana keeps them."""
    return {"mode": "absolute", "steps": [{"color": one.color, "value": one.value} for one in thresholds]}


def zero_is_good(color: str = RED) -> Json:
    """Thresholds of what should be zero."""
    return steps(Threshold(GREEN), Threshold(color, 1e-9))


def not_old() -> Json:
    """Thresholds of the time since something was heard."""
    return steps(Threshold(GREEN), Threshold(ORANGE, 120), Threshold(RED, 600))


def _instant(target: Target) -> Json:
    return {"expr": target.expr, "legendFormat": target.legend, "instant": True, "range": False}


def _over_time(target: Target) -> Json:
    return {"expr": target.expr, "legendFormat": target.legend, "instant": False, "range": True}


def stat(
    title: str, description: str, unit: Unit, expr: str, width: int, thresholds: Json | None = None, decimals: int = 0
) -> Panel:
    """One number, as it is now, coloured by its thresholds."""
    return Panel(
        "stat",
        title,
        description,
        unit,
        (_instant(Target(expr)),),
        width,
        height=4,
        defaults={
            "decimals": decimals,
            "noValue": "none",
            "color": {"mode": "thresholds"},
            "thresholds": thresholds or steps(Threshold(GREY)),
        },
        options={
            "colorMode": "value",
            "graphMode": "none",
            "justifyMode": "auto",
            "orientation": "auto",
            "textMode": "auto",
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        },
    )


def lines(
    title: str,
    description: str,
    unit: Unit,
    targets: Sequence[Target],
    width: int,
    *,
    thresholds: Json | None = None,
    overrides: Sequence[Json] = (),
    top: float | None = None,
    rare: bool = False,
) -> Panel:
    """Lines over time; ``thresholds`` are drawn as dashes. ``top``: the axis reaches at least so far.

    ``rare``: what is counted happens so seldom that many steps have none; those are longer, and lines go through.
    """
    drawn = {"drawStyle": "line", "lineWidth": 2, "fillOpacity": 0, "stacking": {"mode": "none", "group": "A"}}
    limits = {"thresholds": thresholds} if thresholds else {}
    reach = {"axisSoftMax": top} if top is not None else {}
    style: Json = {"thresholdsStyle": {"mode": "dashed" if thresholds else "off"}}
    style["spanNulls"] = rare
    made = _timeseries(title, description, unit, targets, width, {**drawn, **reach, **style}, limits, overrides)
    return replace(made, points=BARS) if rare else made


def stacked(
    title: str,
    description: str,
    unit: Unit,
    targets: Sequence[Target],
    width: int,
    *,
    overrides: Sequence[Json] = (),
) -> Panel:
    """Bars over time, on top of each other: counts of events."""
    drawn = {"drawStyle": "bars", "lineWidth": 1, "fillOpacity": 80, "stacking": {"mode": "normal", "group": "A"}}
    style = {"thresholdsStyle": {"mode": "off"}}
    made = _timeseries(title, description, unit, targets, width, {**drawn, **style}, {"decimals": 0}, overrides)
    return replace(made, points=BARS)


def _timeseries(
    title: str,
    description: str,
    unit: Unit,
    targets: Sequence[Target],
    width: int,
    drawn: Json,
    limits: Json,
    overrides: Sequence[Json],
) -> Panel:
    return Panel(
        "timeseries",
        title,
        description,
        unit,
        tuple(map(_over_time, targets)),
        width,
        custom={"spanNulls": False, **drawn, "showPoints": "never"},
        defaults={"min": 0, "color": {"mode": "palette-classic"}, **limits},
        overrides=tuple(overrides),
        options={
            "legend": {"showLegend": True, "displayMode": "list", "placement": "bottom", "calcs": []},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
    )


def heatmap(title: str, description: str, unit: Unit, target: Target, width: int) -> Panel:
    """The buckets of a histogram over time."""
    return Panel(
        "heatmap",
        title,
        description,
        unit,
        ({**_over_time(target), "format": "heatmap"},),
        width,
        points=BARS,
        options={
            "calculate": False,
            "cellGap": 1,
            "color": {
                "mode": "scheme",
                "scheme": "Oranges",
                "fill": "dark-orange",
                "steps": 32,
                "exponent": 0.5,
                "reverse": False,
            },
            "filterValues": {"le": 1e-9},
            "legend": {"show": True},
            "rowsFrame": {"layout": "auto"},
            "tooltip": {"mode": "single", "showColorScale": False, "yHistogram": False},
            "yAxis": {"axisPlacement": "left", "reverse": False, "unit": unit.value},
        },
    )


def colored(name: str, color: str) -> Json:
    """One series in a colour of its own."""
    return _override(name, {"id": "color", "value": {"mode": "fixed", "fixedColor": color}})


def painted(colors: Mapping[Any, str]) -> tuple[Json, ...]:
    """Series named by the members of an enum, each in its colour."""
    return tuple(colored(member.value, color) for member, color in colors.items())


def with_unit(name: str, unit: Unit, *more: Json) -> Json:
    """One column or series with a unit of its own."""
    return _override(name, {"id": "unit", "value": unit.value}, *more)


def as_wide(name: str, width: int) -> Json:
    """One column of a given width in pixels."""
    return _override(name, {"id": "custom.width", "value": width})


def hidden(name: str) -> Json:
    """One column that is not shown."""
    return _override(name, {"id": "custom.hidden", "value": True})


def linked(name: str, title: str, url: str) -> Json:
    """One column whose cells lead elsewhere."""
    return _override(name, {"id": "links", "value": [{"title": title, "url": url}]})


def cells(thresholds: Json) -> tuple[Json, Json]:
    """A column whose cells are coloured."""
    style = {"id": "custom.cellOptions", "value": {"type": "color-background", "mode": "basic"}}
    return style, {"id": "thresholds", "value": thresholds}


def _override(name: str, *properties: Json) -> Json:
    return {"matcher": {"id": "byName", "options": name}, "properties": list(properties)}
