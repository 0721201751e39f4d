"""The series of a chart: with titles, colours and, where they are stacked, what each stands on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drawing.calcs import reduced
from drawing.frames import Kind
from drawing.panels.canvas import Canvas
from drawing.styles import Style, style_of, title_of

Points = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or one sort of bars."""

    title: str
    colour: str
    style: Style
    times: tuple[float, ...]
    values: Points
    base: Points = ()
    """What each value stands on; empty where that is zero."""

    @property
    def tops(self) -> Points:
        """Where it is drawn."""
        if not self.base:
            return self.values
        pairs = zip(self.values, self.base, strict=True)
        return tuple(None if value is None else value + (base or 0.0) for value, base in pairs)

    @property
    def step(self) -> float:
        """Seconds between two points."""
        return self.times[1] - self.times[0] if len(self.times) > 1 else 60.0

    def hidden(self, where: str) -> bool:
        """Whether it is left out of ``legend`` or ``viz``."""
        return bool(self.style.get("custom.hideFrom", {}).get(where))


def series_of(canvas: Canvas) -> list[Series]:
    """The series of all frames, in order, each upon those below it in its stack."""
    found: list[Series] = []
    for frame in canvas.frames:
        times = frame.first(Kind.TIME)
        for field in frame.fields if times else ():
            if field.kind is Kind.NUMBER and times:
                style = style_of(canvas.panel, field, frame, canvas.theme)
                colour = style.colour(reduced(field.numbers, "lastNotNull"), len(found))
                moments = tuple(float(time or 0) for time in times.values)
                found.append(Series(title_of(style, field), colour, style, moments, tuple(field.numbers)))
    return stacked(found)


def stacked(series: Sequence[Series]) -> list[Series]:
    """Each series upon those before it of the same stack; nothing counts as zero there."""
    heights: dict[tuple[object, ...], dict[float, float]] = defaultdict(dict)
    done = []
    for each in series:
        stacking = each.style.get("custom.stacking", {})
        if stacking.get("mode", "none") == "none" or each.hidden("viz"):
            done.append(each)
            continue
        below = heights[stacking.get("group", "A"), each.style.get("custom.axisPlacement")]
        done.append(replace(each, base=tuple(below.get(time, 0.0) for time in each.times)))
        for time, value in zip(each.times, each.values, strict=True):
            below[time] = below.get(time, 0.0) + (value or 0.0)
    return done
