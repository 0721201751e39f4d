"""Frames as single values: for stats and bar gauges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from drawing.calcs import reduced
from drawing.frames import Frame, Kind, Value
from drawing.panels.canvas import Canvas
from drawing.styles import Style, style_of, title_of

LIMIT = 25


@dataclass(frozen=True, slots=True)
class Figure:
    """One value with its title; ``past`` are the values that it comes of."""

    title: str
    value: Value
    style: Style
    past: tuple[float | None, ...] = ()

    @property
    def text(self) -> str:
        """As it is written."""
        return self.style.text(self.value)

    def share(self, low: float, high: float) -> float:
        """Where it lies between two ends, from 0 to 1."""
        value = self.value if isinstance(self.value, float) else low
        return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def figures_of(canvas: Canvas) -> list[Figure]:
    """The values of all frames: one for each series, or one for each row where the panel wants all values."""
    every = canvas.panel.options.get("reduceOptions", {}).get("values")
    found = [figure for frame in canvas.frames for figure in (_rows if every else _reduced)(canvas, frame)]
    return found[: canvas.panel.options.get("reduceOptions", {}).get("limit", LIMIT)]


def _reduced(canvas: Canvas, frame: Frame) -> Iterator[Figure]:
    for field in frame.fields:
        if field.kind is Kind.NUMBER:
            style = style_of(canvas.panel, field, frame, canvas.theme)
            value = reduced(field.numbers, canvas.panel.calcs[0])
            yield Figure(title_of(style, field), value, style, tuple(field.numbers))


def _rows(canvas: Canvas, frame: Frame) -> Iterator[Figure]:
    names = [field for field in frame.fields if field.kind is Kind.TEXT]
    for field in frame.fields:
        if field.kind is Kind.NUMBER:
            style = style_of(canvas.panel, field, frame, canvas.theme)
            for place, value in enumerate(field.values):
                title = " ".join(str(each.values[place]) for each in names) or title_of(style, field)
                yield Figure(title, value, style)
