"""Tables of columns: what queries answer and what panels draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

Value = float | str | None
Row = dict[str, Value]


class Kind(Enum):
    """What the values of a column are."""

    TIME = "time"  # seconds since the epoch
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Field:
    """One column."""

    name: str
    kind: Kind
    values: tuple[Value, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the series that the column is."""
    title: str | None = None
    """What it is called on the page, where that is not its name."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """How its data source wants it to look."""

    @property
    def shown(self) -> str:
        """The name on the page."""
        return self.name if self.title is None else self.title

    def called(self, name: str) -> bool:
        """Whether it goes by a name."""
        return name in (self.shown, self.name)

    @property
    def numbers(self) -> list[float | None]:
        """The values, where they are numbers."""
        return [value if isinstance(value, float) else None for value in self.values]


@dataclass(frozen=True, slots=True)
class Frame:
    """A table of columns of one length, the answer of the query ``ref``."""

    ref: str
    fields: tuple[Field, ...]

    def __len__(self) -> int:
        return len(self.fields[0].values) if self.fields else 0

    def first(self, kind: Kind) -> Field | None:
        """The first column of a kind."""
        return next((each for each in self.fields if each.kind is kind), None)

    def rows(self) -> Iterator[Row]:
        """Its rows, by the names of the columns."""
        names = [each.name for each in self.fields]
        for values in zip(*(each.values for each in self.fields), strict=True):
            yield dict(zip(names, values, strict=True))

    def taken(self, order: Sequence[int]) -> Frame:
        """The rows at some places."""
        taken = (replace(each, values=tuple(each.values[place] for place in order)) for each in self.fields)
        return Frame(self.ref, tuple(taken))


def filled(columns: Sequence[Field], rows: Sequence[Row], ref: str = "") -> Frame:
    """A frame of such columns; what a row does not have is empty."""
    return Frame(ref, tuple(replace(each, values=tuple(row.get(each.name) for row in rows)) for each in columns))
