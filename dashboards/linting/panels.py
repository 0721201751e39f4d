"""Rules about panels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linting.board import Board, Json, source_uid
from linting.rule import panel_rule
from linting.units import UNITS


@panel_rule("panel-datasource-rule")
def datasource(board: Board, panel: Json) -> Iterator[str]:
    """A panel and its targets ask a data source that a variable chooses."""
    chosen = {form for source in board.sources for form in (f"${source['name']}", f"${{{source['name']}}}")}
    for asked in (panel, *(target for target in panel.get("targets", []) if "datasource" in target)):
        if source_uid(asked) not in chosen:
            yield f"asks data source {source_uid(asked)!r}, which no variable chooses"


@panel_rule("panel-title-description-rule")
def title_description(_board: Board, panel: Json) -> Iterator[str]:
    """A panel has a title and a description."""
    yield from (f"panel {panel.get('id')} has no {key}" for key in ("title", "description") if not panel.get(key))


@panel_rule("panel-units-rule")
def units(_board: Board, panel: Json) -> Iterator[str]:
    """A panel names a unit, and only units that Grafana knows, unless it maps its values to texts."""
    config = panel.get("fieldConfig", {})
    overridden = [p for override in config.get("overrides", []) for p in override.get("properties", [])]
    if _maps(config, overridden) or _shows_texts(panel):
        return
    named = [config.get("defaults", {}).get("unit"), *(p.get("value") for p in overridden if p["id"] == "unit")]
    known = [unit for unit in named if unit]
    if not known:
        yield "names no unit"
    yield from (f"unit {unit!r} is unknown" for unit in known if unit not in UNITS)


@panel_rule("panel-no-targets-rule")
def no_targets(_board: Board, panel: Json) -> Iterator[str]:
    """A panel has a target."""
    if not panel.get("targets"):
        yield "has no target"


def _maps(config: Json, overridden: list[Json]) -> Any:
    return config.get("defaults", {}).get("mappings") or any(p["id"] == "mappings" for p in overridden)


def _shows_texts(panel: Json) -> bool:
    return panel["type"] == "stat" and bool(panel.get("options", {}).get("reduceOptions", {}).get("fields"))
