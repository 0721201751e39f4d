"""The dashboards as Grafana takes them in: ids, grid, links, data sources, and what every panel says of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from linting import Board
from linting.board import WITHOUT_QUERIES
from linting.promql import parsed, selectors
from scripts import ROOT

Json = dict[str, Any]
FOLDER = ROOT / "dashboards"
COLUMNS = 24
FILES = sorted(FOLDER.rglob("loopwatch-*.json"))
BUILT_IN = {"-- Grafana --", "-- Dashboard --", "-- Mixed --", "grafana"}
VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)[^}]*\})|\[\[(\w+)[^\]]*\]\]")


def read(file: Path) -> Json:
    """The JSON of a dashboard."""
    board: Json = json.loads(file.read_text(encoding="utf-8"))
    return board


BESIDE = {
    file: {board["uid"]: Board(board) for board in map(read, file.parent.glob("loopwatch-*.json"))} for file in FILES
}
of_every_board = pytest.mark.parametrize("file", FILES, ids=[str(f.relative_to(FOLDER).with_suffix("")) for f in FILES])


def values(node: Any, key: str) -> Iterator[Any]:
    """What stands under a key, anywhere."""
    if isinstance(node, dict):
        yield from ([node[key]] if key in node else [])
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        yield from values(child, key)


def texts(node: Any) -> Iterator[str]:
    """Every text, anywhere."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, str):
        yield node
    for child in children:
        yield from texts(child)


def cells(panel: Json) -> set[tuple[int, int]]:
    """Cells of the grid that a panel covers, as column and row."""
    place = panel["gridPos"]
    across = range(place["x"], place["x"] + place["w"])
    return {(x, y) for x in across for y in range(place["y"], place["y"] + place["h"])}


def unknown_variables(text: str, board: Board) -> set[str]:
    """Variables in a text that are neither the dashboard's nor Grafana's own."""
    used = {next(name for name in found if name) for found in VARIABLE.findall(text)}
    return {name for name in used if not name.startswith("__") and board.variable(name) is None}


@of_every_board
def test_ids_are_stable_and_unique(file: Path) -> None:
    """The uid is the name of the file, so that links hold; the number and the version are Grafana's to give."""
    board = read(file)
    ids = [panel["id"] for panel in Board(board).panels]
    assert board["uid"] == file.stem
    assert board.get("id") is None
    assert "version" not in board
    assert min(ids) > 0
    assert len(ids) == len(set(ids))


@of_every_board
def test_panels_fill_the_grid_from_the_left(file: Path) -> None:
    """No panel leaves the columns, lies on another or hangs below a gap, and every line begins at the left."""
    panels = read(file)["panels"]
    for group in [panels, *(panel["panels"] for panel in panels if panel.get("panels"))]:
        covered = [cell for panel in group for cell in cells(panel)]
        assert len(covered) == len(set(covered))
        assert {x for x, _ in covered} <= set(range(COLUMNS))
        top = min(y for _, y in covered)
        assert {y for x, y in covered if x == 0} == set(range(top, max(y for _, y in covered) + 1))
        assert not [panel["title"] for panel in group if hangs(panel, set(covered), top)]


def hangs(panel: Json, covered: set[tuple[int, int]], top: int) -> bool:
    """Whether there is nothing right above a panel: Grafana would move it up."""
    place = panel["gridPos"]
    above = {(x, place["y"] - 1) for x in range(place["x"], place["x"] + place["w"])}
    return place["y"] > top and not above & covered


@of_every_board
def test_every_panel_explains_itself(file: Path) -> None:
    """A title; and where something is asked, a description in sentences, a unit, and names of their own for targets."""
    for panel in Board(read(file)).panels:
        assert panel["title"]
        if panel["type"] in WITHOUT_QUERIES:
            continue
        refs = [target["refId"] for target in panel["targets"]]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert len(refs) == len(set(refs))
        assert {m["options"] for m in values(panel, "matcher") if m["id"] == "byFrameRefID"} <= set(refs)


@of_every_board
def test_no_data_source_is_fixed(file: Path) -> None:
    """Each is chosen by a variable, or is Grafana itself: the file works in everybody's Grafana."""
    board = Board(read(file))
    chosen = {f"${{{source['name']}}}" for source in board.sources}
    asked = list(values(board.json, "datasource"))
    assert asked
    assert {source["uid"] for source in asked if source} <= chosen | BUILT_IN


@of_every_board
def test_the_board_is_for_reading_together(file: Path) -> None:
    """Not editable, one crosshair for all panels, and a list of the others by tag that keeps time and variables."""
    board = read(file)
    links = [link for link in board["links"] if link["type"] == "dashboards"]
    assert board["editable"] is False
    assert board["graphTooltip"] == 1
    assert "loopwatch" in board["tags"]
    assert len(links) == 1
    assert links[0]["tags"] == ["loopwatch"]
    assert all(links[0][key] for key in ("asDropdown", "keepTime", "includeVars"))


@of_every_board
def test_halts_are_marked_where_metrics_are_shown(file: Path) -> None:
    """An annotation shows when runs were halted, in the jobs that are chosen."""
    board = Board(read(file))
    queries = [mark["expr"] for mark in board.json["annotations"]["list"] if mark["enable"]]
    marked = [selector for query in queries for selector in selectors(parsed(board, query))]
    measures = any(source["query"] == "prometheus" for source in board.sources)
    assert any("halts" in selector.metric for selector in marked) == measures
    assert all(("job", "$job") in {(m.name, m.value) for m in selector.matchers} for selector in marked)


@of_every_board
def test_variables_exist_where_they_are_used(file: Path) -> None:
    """A misspelt variable stays in the text as it is, and the panel is empty."""
    board = Board(read(file))
    assert {name for text in texts(board.json) for name in unknown_variables(text, board)} == set()


@of_every_board
def test_links_lead_somewhere(file: Path) -> None:
    """A link names a dashboard of the pack, and gives values to variables that this has."""
    for url in values(read(file), "url"):
        link = urlsplit(url)
        if not link.path.startswith("/d/"):
            continue
        uid = link.path.split("/")[2]
        assert uid in BESIDE[file], url
        assert not [name for name in given(link.query) if BESIDE[file][uid].variable(name) is None], url


def given(query: str) -> list[str]:
    """Variables to which a link gives values: one by one, or as Grafana writes out those of this dashboard."""
    return re.findall(r"\bvar-(\w+)=", query) + re.findall(r"\$\{(\w+):queryparam\}", query)


@of_every_board
def test_links_of_a_table_take_values_from_its_columns(file: Path) -> None:
    """A column that was renamed is named in a link as it is shown."""
    for panel in Board(read(file)).panels:
        columns = {name for renamed in values(panel, "renameByName") for name in renamed.values()}
        taken = {name for url in values(panel, "url") for name in re.findall(r"\$\{__data\.fields\.(\w+)\}", url)}
        assert taken <= columns, panel["title"]


def test_a_uid_is_one_dashboard() -> None:
    """Two files of a folder with one uid would overwrite each other."""
    assert FILES
    for folder in {file.parent for file in FILES}:
        uids = [read(file)["uid"] for file in folder.glob("loopwatch-*.json")]
        assert len(uids) == len(set(uids))
