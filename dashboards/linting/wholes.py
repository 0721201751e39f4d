"""Rules about a dashboard as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linting.board import Board
from linting.rule import board_rule

_REQUIRED: dict[str, type] = {
    "annotations": list,
    "cursorSync": str,
    "elements": dict,
    "layout": dict,
    "links": list,
    "preload": bool,
    "tags": list,
    "timeSettings": dict,
    "title": str,
    "variables": list,
}


@board_rule("uneditable-dashboard")
def uneditable(board: Board) -> Iterator[str]:
    """A dashboard is not editable: a change in the browser would be lost with the next import."""
    if board.json.get("editable", True):
        yield "should have editable false"


@board_rule("v2-required-fields-rule")
def required_fields(board: Board) -> Iterator[str]:
    """A dashboard in the v2 schema has every field that Grafana requires, each of its type."""
    for field, kind in _REQUIRED.items() if _is_v2(board) else ():
        if not isinstance(board.json["spec"].get(field), kind):
            yield f"spec.{field} should be a {kind.__name__}"


@board_rule("element-reference-rule")
def element_reference(board: Board) -> Iterator[str]:
    """The layout of a dashboard in the v2 schema places the panels that there are, and all of them."""
    if not _is_v2(board):
        return
    there = set(board.json["spec"].get("elements", {}))
    placed = set(_references(board.json["spec"].get("layout", {})))
    yield from (f"the layout places {name!r}, which is no element" for name in sorted(placed - there))
    yield from (f"the layout places {name!r} nowhere" for name in sorted(there - placed))


def _is_v2(board: Board) -> bool:
    return str(board.json.get("apiVersion", "")).startswith("dashboard.grafana.app/v2")


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict) and node.get("kind") == "ElementReference":
        yield node["name"]
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        yield from _references(child)
