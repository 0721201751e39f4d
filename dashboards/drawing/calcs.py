"""Series made into one value, by Grafana's names of the ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Numbers = Sequence[float]

CALCS: dict[str, tuple[str, Callable[[Numbers], float]]] = {
    "lastNotNull": ("Last *", lambda known: known[-1]),
    "last": ("Last", lambda known: known[-1]),
    "firstNotNull": ("First *", lambda known: known[0]),
    "first": ("First", lambda known: known[0]),
    "min": ("Min", min),
    "max": ("Max", max),
    "mean": ("Mean", lambda known: sum(known) / len(known)),
    "sum": ("Total", sum),
    "count": ("Count", lambda known: float(len(known))),
    "range": ("Range", lambda known: max(known) - min(known)),
    "diff": ("Difference", lambda known: known[-1] - known[0]),
}
"""What a column of such values is called, and how they come of the values that are there, of which there is one."""


def reduced(values: Sequence[float | None], calc: str) -> float | None:
    """One value of a series; none of nothing."""
    if calc in ("last", "first") and values:
        return values[-1 if calc == "last" else 0]
    known = [value for value in values if value is not None]
    return CALCS[calc][1](known) if known else None
