"""What is to be written onto spans that already left their process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Value = str | bool | int | float | Sequence[str]


@dataclass(slots=True)
class MarkedSpan:
    """Takes attributes and events as an SDK span does, for whoever writes them onto the span's own bytes."""

    attributes: dict[str, Value] = field(default_factory=dict)
    events: list[Mark] = field(default_factory=list)
    error: str | None = None
    """Why the span's status is to be ERROR, unless it has one."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An event to be added to a span."""

    name: str
    attributes: Mapping[str, Value]
    time_ns: int
