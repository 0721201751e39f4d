"""The queries of a dashboard, with its variables replaced as Grafana replaces them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCRAPE_S = 30
"""Seconds between two samples of the scripted stretch: the scrape interval of a data source that holds it."""

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::\w+)?\})")
_OF_SERIES = re.compile(r"label_values\((.+),\s*(\w+)\)")


@dataclass(frozen=True, slots=True)
class Query:
    """One query: of a panel's target, a variable or an annotation."""

    where: str
    """Title of the panel and letter of the target, or name of the variable or annotation."""
    expr: str
    instant: bool = False
    """Asked for one moment, not for a range of time."""


def substituted(
    expr: str, variables: Mapping[str, str], step_s: float, range_s: float, scrape_s: float = SCRAPE_S
) -> str:
    """The expression as it reaches Prometheus. ``variables`` by name; the built-in ones follow from the times.

    Times in seconds: between two points of the panel, of the range that it shows, between two scrapes. As in Grafana,
    a rate is taken over four scrapes at least.

    :raises KeyError: for a variable that is not given.
    """
    values = {**_built_in(step_s, range_s, scrape_s), **variables}
    return _VARIABLE.sub(lambda found: values[found[1] or found[2]], expr)


def _built_in(step_s: float, range_s: float, scrape_s: float) -> dict[str, str]:
    return {
        "__interval": f"{step_s:.0f}s",
        "__interval_ms": f"{step_s * 1000:.0f}",
        "__rate_interval": f"{max(step_s + scrape_s, 4 * scrape_s):.0f}s",
        "__range": f"{range_s:.0f}s",
        "__range_s": f"{range_s:.0f}",
        "__range_ms": f"{range_s * 1000:.0f}",
    }


def read(folder: Path) -> list[dict[str, Any]]:
    """The dashboards of a folder."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("loopwatch-*.json"))]


def panels(dashboard: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All panels, those of folded rows too."""
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", ())


def panel_queries(dashboard: Mapping[str, Any]) -> Iterator[Query]:
    """What the panels ask Prometheus for."""
    for panel in panels(dashboard):
        for target in panel.get("targets", ()):
            if "expr" in target:
                where = f"{panel['title']}, {target['refId']}"
                yield Query(where, target["expr"], bool(target.get("instant")))


def annotation_queries(dashboard: Mapping[str, Any]) -> Iterator[Query]:
    """What the annotations ask Prometheus for."""
    for annotation in dashboard.get("annotations", {}).get("list", ()):
        if "expr" in annotation:
            yield Query(annotation["name"], annotation["expr"])


def variable_queries(dashboard: Mapping[str, Any]) -> Iterator[Query]:
    """Where the drop-downs take their values from, as Grafana writes it: ``label_values(series, label)``."""
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            query = variable["query"]
            yield Query(variable["name"], query if isinstance(query, str) else query["query"])


def series_and_label(query: str) -> tuple[str, str]:
    """The selector and the label of a variable's query.

    :raises ValueError: for a query of another form.
    """
    found = _OF_SERIES.fullmatch(query)
    if found is None:
        raise ValueError(f"query is {query!r}; it must be label_values(series, label)")
    return found[1], found[2]
