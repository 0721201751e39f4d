"""Spans that are open side by side."""

from __future__ import annotations


class Siblings:
    """Open spans of one sort by parent, in the order they began."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[int, dict[int, None]] = {}

    def add(self, parent: int, span_id: int) -> bool:
        """A span began; whether others are open beside it."""
        beside = self._open.setdefault(parent, {})
        beside[span_id] = None
        return len(beside) > 1

    def remove(self, parent: int, span_id: int) -> bool:
        """A span is no longer open; whether it was one of this sort."""
        beside = self._open.get(parent)
        if beside is None or span_id not in beside:
            return False
        del beside[span_id]
        if not beside:
            del self._open[parent]
        return True

    def last(self, parent: int) -> int | None:
        """The open span that began last under a parent."""
        beside = self._open.get(parent)
        return next(reversed(beside)) if beside else None
