"""What a rule is, and what it finds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from linting.board import Board, Json


@dataclass(frozen=True, slots=True)
class Finding:
    """One breach of one rule."""

    rule: str
    dashboard: str
    message: str
    panel: str | None = None
    """Title of the panel; None where the whole dashboard is meant."""
    target: int | None = None
    """Place of the target in its panel, from 0; None where the whole panel is meant."""

    def __str__(self) -> str:
        """The finding on one line, the rule first."""
        places = [self.dashboard]
        places += [] if self.panel is None else [self.panel]
        places += [] if self.target is None else [f"target {self.target}"]
        return f"{self.rule}: {' > '.join(places)}: {self.message}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the linter."""

    name: str
    asks: str
    check: Callable[[Board], Iterator[Finding]]


OfBoard = Callable[[Board], Iterable[str]]
OfPanel = Callable[[Board, Json], Iterable[str]]


def board_rule(name: str) -> Callable[[OfBoard], Rule]:
    """A rule whose check gives what is wrong with the dashboard; its docstring says what is asked."""

    def decorate(wrong: OfBoard) -> Rule:
        def check(board: Board) -> Iterator[Finding]:
            return (Finding(name, board.title, message) for message in wrong(board))

        return Rule(name, inspect.getdoc(wrong) or "", check)

    return decorate


def panel_rule(name: str) -> Callable[[OfPanel], Rule]:
    """A rule whose check gives what is wrong with a panel that queries."""

    def decorate(wrong: OfPanel) -> Rule:
        def check(board: Board) -> Iterator[Finding]:
            for panel in board.querying:
                for message in wrong(board, panel):
                    yield Finding(name, board.title, message, panel.get("title", ""))

        return Rule(name, inspect.getdoc(wrong) or "", check)

    return decorate


def target_rule(name: str, plugin: str) -> Callable[[OfPanel], Rule]:
    """A rule whose check gives what is wrong with a target that asks a data source of a plugin."""

    def decorate(wrong: OfPanel) -> Rule:
        def check(board: Board) -> Iterator[Finding]:
            for panel in board.querying:
                for place, target in enumerate(panel.get("targets", [])):
                    for message in wrong(board, target) if asks(board, panel, target) else ():
                        yield Finding(name, board.title, message, panel.get("title", ""), place)

        return Rule(name, inspect.getdoc(wrong) or "", check)

    def asks(board: Board, panel: Json, target: Json) -> bool:
        return board.plugin(target if target.get("datasource") else panel) == plugin

    return decorate
