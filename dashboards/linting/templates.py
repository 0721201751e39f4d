"""Rules about variables, which Grafana's JSON calls templates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from linting.board import Board, source_uid, variable_name
from linting.promql import parsed
from linting.rule import board_rule

_ASKED = re.compile(r"(label_names|label_values|metrics|query_result)\((.*)\)", re.DOTALL)
_ON_TIME_RANGE_CHANGE = 2


@board_rule("template-datasource-rule")
def datasource(board: Board) -> Iterator[str]:
    """The data source is a variable, named for its plugin (or ``datasource`` where it is the only one)."""
    if not board.sources:
        yield "no variable chooses the data source"
    for variable in board.sources:
        plugin = variable["query"]
        alone = len(board.sources) == 1
        names = {f"{plugin}_datasource"} | ({"datasource"} if alone else set())
        labels = {f"{plugin.title()} data source"} | ({"Data source"} if alone else set())
        if variable["name"] not in names:
            yield f"variable {variable['name']} should be named {' or '.join(sorted(names))}"
        if variable.get("label") not in labels:
            yield f"variable {variable['name']} should be labelled {' or '.join(sorted(labels))}"


@board_rule("template-job-rule")
def job(board: Board) -> Iterator[str]:
    """A variable ``job`` chooses among jobs: several, or all by ``.+``."""
    return _choice(board, "job")


@board_rule("template-instance-rule")
def instance(board: Board) -> Iterator[str]:
    """A variable ``instance`` chooses among instances: several, or all by ``.+``."""
    return _choice(board, "instance")


@board_rule("template-label-promql-rule")
def label_promql(board: Board) -> Iterator[str]:
    """The query of a variable is a function of Grafana's over valid PromQL."""
    for variable in board.variables:
        if variable["type"] == "query" and board.plugin(variable) == "prometheus":
            for message in _wrong_query(board, _text(variable["query"])):
                yield f"variable {variable['name']}: {message}"


@board_rule("template-on-time-change-reload-rule")
def on_time_change_reload(board: Board) -> Iterator[str]:
    """A variable with a query is asked anew when the time range changes."""
    for variable in board.variables:
        if variable["type"] == "query" and variable.get("refresh") != _ON_TIME_RANGE_CHANGE:
            yield f"variable {variable['name']} has refresh {variable.get('refresh')}, not {_ON_TIME_RANGE_CHANGE}"


@board_rule("template-unused-rule")
def unused(board: Board) -> Iterator[str]:
    """A variable with a query is used by a target or by another variable."""
    for variable in board.variables:
        name = variable["name"]
        use = re.compile(rf"\$({name}\b|{{{name}[:}}])|\[\[{name}[:\]]")
        if variable["type"] == "query" and not any(use.search(text) for text in _queries(board)):
            yield f"variable {name} is used by no query"


def _choice(board: Board, name: str) -> Iterator[str]:
    if not board.sources or board.sources[0]["query"] != "prometheus":
        return
    variable = board.variable(name)
    if variable is None:
        yield f"no variable {name}"
        return
    if variable_name(source_uid(variable)) not in {source["name"] for source in board.sources}:
        yield f"variable {name} should ask the chosen data source, not {source_uid(variable)!r}"
    wanted = {"type": "query", "label": name.title(), "multi": True, "allValue": ".+"}
    for key, value in wanted.items():
        if variable.get(key) != value:
            yield f"variable {name} should have {key} {value!r}, not {variable.get(key)!r}"


def _wrong_query(board: Board, query: str) -> Iterator[str]:
    asked = _ASKED.fullmatch(query.strip())
    if asked is None:
        yield f"{query!r} is no function that gives labels"
        return
    series = _series(*asked.groups())
    try:
        if series:
            parsed(board, series)
    except ValueError as error:
        yield f"{query!r}: {error}"


def _series(function: str, inside: str) -> str:
    """The PromQL in a call: the label after the last comma of ``label_values`` is none, nor is a pattern of names."""
    if function == "query_result":
        return inside
    return inside.rpartition(",")[0] if function == "label_values" else ""


def _queries(board: Board) -> Iterator[str]:
    yield from (_text(variable.get("query", "")) for variable in board.variables)
    targets = (target for panel in board.panels for target in panel.get("targets", []))
    yield from (f"{target.get('expr', '')} {target.get('query', '')}" for target in targets)


def _text(query: object) -> str:
    """Grafana keeps the query of a variable as a text, or as an object around it."""
    return str(query.get("query", "")) if isinstance(query, dict) else str(query)
