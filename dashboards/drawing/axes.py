"""Where axes end and where they are marked: round numbers, as far apart as they can be read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timezone

from drawing.window import Window

Y_SPACE, X_SPACE = 32.0, 66.0
"""Least pixels between two marks."""
ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
TIMES = (1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
PADDING = 0.1
DAY_S = 86400


def extent(values: Sequence[float], low: float | None, high: float | None) -> tuple[float, float]:
    """The ends of an axis: those that are set, else around the values and, where none is negative, from zero."""
    bottom = min(values, default=0.0) if low is None else low
    top = max(values, default=0.0) if high is None else high
    if low is None and bottom >= 0:
        bottom = 0.0
    if top <= bottom:
        return bottom, bottom + 1
    room = (top - bottom) * PADDING
    unit = 10 ** math.floor(math.log10(top - bottom)) / 10
    return (
        bottom if low is not None or bottom == 0 else math.floor((bottom - room) / unit) * unit,
        top if high is not None else math.ceil((top + room) / unit) * unit,
    )


def marks(low: float, high: float, pixels: float, *, whole: bool = False) -> list[float]:
    """Round numbers between the ends of an axis of that length; ``whole`` ones where others would not be told apart."""
    least = (high - low) / max(pixels / Y_SPACE, 1)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(each * power for each in ROUND if each * power >= least * 0.999)
    step = float(math.ceil(step)) if whole else step
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def moments(window: Window, pixels: float) -> list[tuple[float, str]]:
    """Round times and what stands below them."""
    least = window.length / max(pixels / X_SPACE, 1)
    step = next((each for each in TIMES if each >= least), DAY_S * math.ceil(least / DAY_S))
    first, last = math.ceil(window.start / step), math.floor(window.end / step)
    form = "%H:%M:%S" if step < 60 else "%m/%d %H:%M" if window.length > DAY_S else "%H:%M"
    return [
        (number * step, datetime.fromtimestamp(number * step, timezone.utc).strftime(form))
        for number in range(first, last + 1)
    ]
