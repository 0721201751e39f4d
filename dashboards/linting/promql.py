"""PromQL of a dashboard: Grafana's variables get values, then a real parser reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

import promql_parser
from promql_parser import Call, Expr, Matcher, MatrixSelector, VectorSelector

from linting.board import Board

_MARK = "27d7m13s"  # a time that nobody writes, by which the rate interval is known again in the parsed query
RATE_INTERVAL = promql_parser.parse_duration(_MARK)
_GLOBALS = {
    "__rate_interval": _MARK,
    "__interval": "30s",
    "__range": "6h",
    "__interval_ms": "30000",
    "__range_s": "21600",
    "__range_ms": "21600000",
    "__from": "1577836800000",
    "__to": "1577858400000",
}
# Inside quotes Grafana's variables are values of labels, which the parser takes as they are.
_TOKEN = re.compile(
    r"""  "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | `[^`]*`
        | \$(?P<plain>\w+) | \$\{(?P<braced>\w+)[^}]*\} | \[\[(?P<old>\w+)[^\]]*\]\]  """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Selector:
    """Series that a query selects."""

    metric: str
    """Name of the metric, also where it is quoted inside the braces; empty where there is none."""
    matchers: tuple[Matcher, ...]
    functions: tuple[str, ...]
    """Functions around it, the innermost first."""
    range: timedelta | None = None
    """Time in brackets behind it; None for an instant vector."""
    ranger: str = ""
    """Function that takes the range, such as ``rate``; empty where none does."""


def parsed(board: Board, query: str) -> Expr:
    """The tree of a query.

    Raises:
        ValueError: it is no PromQL.
    """
    tree: Expr = promql_parser.parse(_expanded(board, query))
    return tree


def selectors(tree: Expr) -> list[Selector]:
    """Every selector of a query, from left to right."""
    found: list[Selector] = []
    above: list[Expr] = []

    def enter(node: Expr) -> None:
        if isinstance(node, VectorSelector):
            found.append(_selector(node, above))
        above.append(node)

    def leave(_node: Expr) -> None:
        above.pop()

    promql_parser.walk(tree, enter, leave)
    return found


def _selector(series: VectorSelector, above: list[Expr]) -> Selector:
    matchers = tuple(series.matchers.matchers)
    metric = series.name or next((matcher.value for matcher in matchers if matcher.name == "__name__"), "")
    functions = tuple(node.func.name for node in reversed(above) if isinstance(node, Call))
    if not above or not isinstance(above[-1], MatrixSelector):
        return Selector(metric, matchers, functions)
    ranger = functions[0] if len(above) > 1 and isinstance(above[-2], Call) else ""
    return Selector(metric, matchers, functions, above[-1].range, ranger)


def _expanded(board: Board, query: str) -> str:
    def value(token: re.Match[str]) -> str:
        name = token["plain"] or token["braced"] or token["old"]
        return _value(board, name) if name else token[0]

    return _TOKEN.sub(value, query)


def _value(board: Board, name: str) -> str:
    variable = board.variable(name) or {}
    current = variable.get("current", {}).get("value", "")
    chosen = isinstance(current, str) and not current.startswith("$")
    return _GLOBALS.get(name) or (current if chosen else "") or name
