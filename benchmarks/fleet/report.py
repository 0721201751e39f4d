"""A row of the table, and the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, and what it should be."""

    what: str
    measured: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None
    detail: str = ""
    """The figures behind it."""
    name: str = ""
    """Under which others take the ``figure``."""
    figure: float = 0.0

    @property
    def said(self) -> str:
        """The figure with its unit."""
        return f"{_number(self.measured)} {self.unit}".strip()

    @property
    def target(self) -> str:
        """In words."""
        if self.at_least is not None:
            return f"at least {_number(self.at_least)}"
        return "" if self.at_most is None else f"at most {_number(self.at_most)}"

    @property
    def verdict(self) -> str:
        """Whether it is."""
        if self.at_least is not None:
            return "met" if self.measured >= self.at_least else f"{self.measured / self.at_least:.0%} of the target"
        if self.at_most is not None:
            return "met" if self.measured <= self.at_most else f"{self.measured / self.at_most:.1f} times the target"
        return ""


def markdown(rows: Iterable[Row]) -> str:
    """The table."""
    lines = ["| what | measured | target | verdict | figures behind it |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        cells = (row.what, row.said, row.target, row.verdict, row.detail)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
