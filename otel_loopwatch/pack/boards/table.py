"""Tables: several instant queries side by side, one row per combination of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from otel_loopwatch.pack.boards.panel import TEMPO, Json, Panel, Unit, as_wide

NARROW = 70
"""Least width of a column, in pixels."""
VALUE = "Value"
"""What Grafana calls the column of a query's values; with several queries, their refIds are added."""


def table(
    title: str,
    description: str,
    columns: Mapping[str, str],
    exprs: Mapping[str, str],
    width: int,
    *,
    sort: str | None = None,
    nothing: str = "none",
    overrides: Sequence[Json] = (),
    height: int = 8,
) -> Panel:
    """A table of ``columns`` (label in Prometheus to heading) and of ``exprs`` (heading to PromQL), largest first.

    Whatever else the queries bring is hidden; ``nothing`` stands where a query has no value.
    """
    headings = {**columns, **dict(zip(_values(exprs), exprs, strict=True))}
    return Panel(
        "table",
        title,
        description,
        Unit.NUMBER,
        tuple({"expr": expr, "format": "table", "instant": True, "range": False} for expr in exprs.values()),
        width,
        height=height,
        custom={"align": "auto", "filterable": False, "minWidth": NARROW},
        defaults={"decimals": 0, "noValue": nothing},
        overrides=tuple(overrides),
        options={"showHeader": True, "sortBy": [{"displayName": sort, "desc": True}] if sort else []},
        transformations=(
            {"id": "merge", "options": {}},
            {"id": "filterFieldsByName", "options": {"include": {"names": list(headings)}}},
            {"id": "organize", "options": _arranged(headings)},
        ),
    )


def _values(exprs: Mapping[str, str]) -> list[str]:
    if len(exprs) == 1:
        return [VALUE]
    return [f"{VALUE} #{chr(ord('A') + index)}" for index in range(len(exprs))]


def _arranged(headings: Mapping[str, str]) -> Json:
    return {
        "excludeByName": {},
        "indexByName": {name: index for index, name in enumerate(headings)},
        "renameByName": dict(headings),
    }


def spans(
    title: str, description: str, query: str, columns: Mapping[str, tuple[str, int | None]], height: int
) -> Panel:
    """A table of the spans that a TraceQL query finds, with these columns: by the name Tempo gives them, their heading
    and width in pixels. Whatever else it brings is hidden."""
    target: dict[str, Any] = {
        "queryType": "traceql",
        "query": query,
        "limit": 50,
        "spss": 10,
        "tableType": "spans",
        "filters": [],
    }
    return Panel(
        "table",
        title,
        description,
        Unit.NONE,
        (target,),
        24,
        height=height,
        datasource=TEMPO,
        custom={"align": "auto", "filterable": True, "minWidth": NARROW},
        overrides=tuple(as_wide(heading, width) for heading, width in columns.values() if width is not None),
        options={"showHeader": True, "sortBy": []},
        transformations=(
            {"id": "filterFieldsByName", "options": {"include": {"names": list(columns)}}},
            {"id": "organize", "options": _arranged({name: heading for name, (heading, _) in columns.items()})},
        ),
    )
