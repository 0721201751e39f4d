"""A dashboard as its JSON has it, read as far as it is drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a panel is, in columns (24) and rows of the grid."""

    x: int
    y: int
    w: int
    h: int

    def meets(self, other: Place) -> bool:
        """Whether they share a cell."""
        return (
            self.x < other.x + other.w
            and other.x < self.x + self.w
            and self.y < other.y + other.h
            and other.y < self.y + self.h
        )


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel."""

    type: str
    title: str
    description: str
    place: Place
    targets: Sequence[Json] = ()
    options: Json = field(default_factory=dict)
    defaults: Json = field(default_factory=dict)
    overrides: Sequence[Json] = ()
    transformations: Sequence[Json] = ()
    datasource: Json = field(default_factory=dict)
    max_points: int | None = None
    min_step: str = ""
    collapsed: bool = False

    @property
    def calcs(self) -> Sequence[str]:
        """How series become one value, where the panel's type needs that."""
        calcs: Sequence[str] = self.options.get("reduceOptions", {}).get("calcs") or ("lastNotNull",)
        return calcs


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A whole dashboard."""

    title: str
    panels: Sequence[Panel]
    variables: Sequence[Json]
    annotations: Sequence[Json]
    links: Sequence[Json]
    start: str
    end: str


def panel_of(read: Json) -> Panel:
    """A panel from its JSON."""
    place, looks = read["gridPos"], read.get("fieldConfig", {})
    return Panel(
        type=read["type"],
        title=read.get("title", ""),
        description=read.get("description", ""),
        place=Place(place["x"], place["y"], place["w"], place["h"]),
        targets=[target for target in read.get("targets", ()) if not target.get("hide")],
        options=read.get("options", {}),
        defaults=looks.get("defaults", {}),
        overrides=looks.get("overrides", ()),
        transformations=read.get("transformations", ()),
        datasource=read.get("datasource") or {},
        max_points=read.get("maxDataPoints"),
        min_step=read.get("interval") or "",
        collapsed=bool(read.get("collapsed")),
    )


def dashboard_of(read: Json) -> Dashboard:
    """A dashboard from its JSON."""
    time = read.get("time", {})
    return Dashboard(
        title=read["title"],
        panels=[panel_of(each) for each in read["panels"]],
        variables=read.get("templating", {}).get("list", ()),
        annotations=read.get("annotations", {}).get("list", ()),
        links=read.get("links", ()),
        start=time.get("from", "now-6h"),
        end=time.get("to", "now"),
    )


def load(path: Path) -> Dashboard:
    """The dashboard of a file."""
    return dashboard_of(json.loads(path.read_text(encoding="utf-8")))
