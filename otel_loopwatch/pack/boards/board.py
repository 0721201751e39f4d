"""A dashboard around its panels: variables, links, annotations, and every panel's place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from otel_loopwatch.pack.alert import Board
from otel_loopwatch.pack.boards.panel import PROMETHEUS, Json, Panel, Row

SCHEMA = 39
"""Of Grafana 10.3 and later; older 10 reads it, newer ones bring it forward on import."""
COLUMNS = 24
TAG = "loopwatch"
ALL = ".+"


@dataclass(frozen=True, slots=True)
class Dashboard:
    """One dashboard."""

    board: Board
    title: str
    description: str
    variables: tuple[Json, ...]
    panels: tuple[Panel | Row, ...]
    annotations: tuple[Json, ...] = ()
    links: tuple[Json, ...] = ()
    since: str = "now-6h"

    @property
    def file(self) -> str:
        """Name of its file."""
        return f"{self.board.value}.json"

    def built(self) -> Json:
        """The dashboard as Grafana keeps it."""
        return {
            "uid": self.board.value,
            "title": f"Loopwatch / {self.title}",
            "description": self.description,
            "tags": [TAG],
            "schemaVersion": SCHEMA,
            "editable": False,
            "graphTooltip": 1,
            "refresh": "1m",
            "time": {"from": self.since, "to": "now"},
            "timezone": "browser",
            "fiscalYearStartMonth": 0,
            "links": [_siblings(), *self.links],
            "annotations": {"list": list(self.annotations)},
            "templating": {"list": list(self.variables)},
            "panels": placed(self.panels),
        }

    def rendered(self) -> str:
        """The dashboard as its file holds it."""
        return json.dumps(self.built(), indent=2, sort_keys=True) + "\n"


def placed(panels: Iterable[Panel | Row]) -> list[Json]:
    """The panels from left to right, line by line."""
    built: list[Json] = []
    x = y = tallest = 0
    for number, panel in enumerate(panels, 1):
        width, height = (COLUMNS, 1) if isinstance(panel, Row) else (panel.width, panel.height)
        if x + width > COLUMNS:
            x, y, tallest = 0, y + tallest, 0
        built.append(panel.built(number, y) if isinstance(panel, Row) else panel.built(number, x, y))
        x, tallest = x + width, max(tallest, height)
    return built


def _siblings() -> Json:
    """A menu of the other dashboards, with time and variables kept."""
    return {
        "type": "dashboards",
        "title": "Loopwatch",
        "tags": [TAG],
        "asDropdown": True,
        "icon": "external link",
        "includeVars": True,
        "keepTime": True,
        "targetBlank": False,
        "tooltip": "",
        "url": "",
    }


def leading_to(board: Board, title: str, variables: Sequence[str]) -> Json:
    """A link at the top of a dashboard to another one, for what is chosen here."""
    return {
        "type": "link",
        "title": title,
        "url": f"/d/{board.value}?" + "&".join(f"${{{name}:queryparam}}" for name in variables),
        "icon": "dashboard",
        "tooltip": "",
        "asDropdown": False,
        "includeVars": False,
        "keepTime": True,
        "tags": [],
        "targetBlank": False,
    }


def datasource(name: str = "datasource", label: str = "Data source", kind: str = "prometheus") -> Json:
    """A choice of data source."""
    return {
        "name": name,
        "label": label,
        "type": "datasource",
        "query": kind,
        "current": {},
        "hide": 0,
        "includeAll": False,
        "multi": False,
        "options": [],
        "refresh": 1,
        "regex": "",
    }


def chosen(name: str, label: str, query: str) -> Json:
    """A choice among the values of a label, any number of them, at first all."""
    one = one_of(name, label, query)
    return {**one, "multi": True, "includeAll": True, "allValue": ALL, "current": {"text": "All", "value": "$__all"}}


def one_of(name: str, label: str, query: str) -> Json:
    """A choice of one of the values of a label; looked up anew when the time range changes."""
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": PROMETHEUS,
        "query": {"query": query, "refId": f"{name}-values"},
        "definition": query,
        "current": {},
        "hide": 0,
        "includeAll": False,
        "multi": False,
        "options": [],
        "refresh": 2,
        "regex": "",
        "sort": 1,
    }


def typed(name: str, label: str, value: str) -> Json:
    """Something to type in."""
    return {
        "name": name,
        "label": label,
        "type": "textbox",
        "query": value,
        "current": {"text": value, "value": value},
        "hide": 0,
        "options": [{"selected": True, "text": value, "value": value}],
    }


def annotated(name: str, expr: str, title: str, text: str, color: str) -> Json:
    """Marks on every graph where an expression gives anything."""
    return {
        "name": name,
        "datasource": PROMETHEUS,
        "enable": True,
        "hide": False,
        "iconColor": color,
        "expr": expr,
        "step": "5m",
        "titleFormat": title,
        "textFormat": text,
        "tagKeys": "",
        "useValueForTime": False,
    }
