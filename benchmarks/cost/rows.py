"""A row of the table: what was measured, how much it may be, and whether it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

MET = "met"


class Part(str, Enum):
    """What a group of rows is about."""

    ENGINE = "judging a call"
    SPANS = "start and end of a span"
    LENGTH = "length of the run"
    MEMORY = "memory"
    CONCURRENCY = "concurrency"
    REPLAY = "replay"
    OTHERS = "other packages"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; ``unit`` says of what, ``limit`` how much it may be at most (``None``: it is for information)."""

    part: Part
    what: str
    measured: float
    unit: str
    limit: float | None = None
    detail: str = ""
    """The figures behind it."""

    @property
    def said(self) -> str:
        """The figure with its unit: three digits, and never an exponent."""
        digits = f"{self.measured:,.0f}" if abs(self.measured) >= 100 else f"{self.measured:.3g}"
        return f"{digits} {self.unit}"

    @property
    def target(self) -> str:
        """The limit in words."""
        return "" if self.limit is None else f"at most {self.limit:g}"

    @property
    def verdict(self) -> str:
        """Whether the limit is kept, or how far off it is; nothing without a limit."""
        if self.limit is None:
            return ""
        if self.measured <= self.limit:
            return MET
        times = self.measured / self.limit
        return f"{times:.1f} times the target" if times < 10 else f"{times:.0f} times the target"
