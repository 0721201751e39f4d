"""Numbers as Grafana writes them, by the unit's identifier; an unknown unit is written behind the number, as there."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import datetime, timezone

MINUTE, HOUR, DAY, WEEK, YEAR = 60, 3600, 86400, 604800, 31536000
NO_TIME = " s"
"""Behind no time at all, which has no decimals either."""
THOUSANDS = ("", " K", " Mil", " Bil", " Tri", " Quadr", " Quint", " Sext", " Sept")
COUNTS = ("", "K", "M", "B", "T")
SECONDS: tuple[tuple[float, float, str], ...] = (
    (0.0, 1e-9, " ns"),
    (1e-6, 1e-6, " µs"),
    (1e-3, 1e-3, " ms"),
    (1, 1, " s"),
    (MINUTE, MINUTE, " min"),
    (HOUR, HOUR, " hour"),
    (DAY, DAY, " day"),
    (WEEK, WEEK, " week"),
    (YEAR, 31556900, " year"),
)
"""From how many seconds on, the size of the unit, and its name."""
SPANS = ((YEAR, "year"), (2592000, "month"), (WEEK, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))
Written = tuple[float, str]
"""A number and what stands behind it."""


def formatted(value: float, unit: str, decimals: int | None = None) -> str:
    """A number with its unit; without ``decimals`` as many as it needs."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    if unit in WHOLE:
        return WHOLE[unit](value, decimals)
    number, suffix = SCALED[unit](value) if unit in SCALED else (value, f" {unit}" if unit else "")
    return ("0" if value == 0 and suffix == NO_TIME else rounded(number, decimals)) + suffix


def rounded(value: float, decimals: int | None = None) -> str:
    """With so many decimals; without the wish about three figures, and no zeros at the end."""
    if decimals is not None:
        return f"{_half_up(value, decimals):.{decimals}f}"
    text = f"{_half_up(value, _decimals(value)):.{_decimals(value)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _half_up(value: float, decimals: int) -> float:
    factor = 10.0**decimals
    return float(math.floor(value * factor + 0.5) / factor)


def _decimals(value: float) -> int:
    if value == int(value):
        return 0
    exponent = math.floor(math.log10(abs(value)))
    return max(0, 2 - exponent)


def _thousands(value: float, suffixes: Sequence[str], behind: str = "") -> Written:
    power = math.floor(math.log10(abs(value)) / 3 + 1e-12) if value else 0
    power = min(max(power, 0), len(suffixes) - 1)
    return value / 1000.0**power, suffixes[power] + behind


def _count(behind: str) -> Callable[[float], Written]:
    return lambda value: _thousands(value, COUNTS, f" {behind}")


def _time(size: float) -> Callable[[float], Written]:
    return lambda value: _seconds(value * size)


def _seconds(value: float) -> Written:
    if value == 0:
        return 0.0, NO_TIME
    _, size, name = SECONDS[bisect_right(SECONDS, abs(value), key=lambda row: row[0]) - 1]
    return value / size, name


def _spelt(value: float, decimals: int | None) -> str:
    if value < 0:
        return f"{_spelt(-value, decimals)} ago"
    if value < 1:
        return f"{round(value * 1000)} milliseconds" if value else "0 seconds"
    parts: list[str] = []
    for size, name in (*SPANS, (1, "second")):
        if (value >= size or parts) and len(parts) <= (decimals or 0):
            count, value = divmod(value, size)
            parts.append(f"{count:.0f} {name}{'s' * (count != 1)}")
    return ", ".join(parts)


def _clock(value: float, _decimals: int | None) -> str:
    days, rest = divmod(int(value), DAY)
    hours, minutes, seconds = rest // HOUR, rest % HOUR // MINUTE, rest % MINUTE
    return (f"{days} d " if days else "") + f"{hours:02}:{minutes:02}:{seconds:02}"


def moment(seconds: float) -> str:
    """A time, in UTC."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


SCALED: dict[str, Callable[[float], Written]] = {
    "none": lambda value: (value, ""),
    "short": lambda value: _thousands(value, THOUSANDS),
    "percent": lambda value: (value, "%"),
    "percentunit": lambda value: (value * 100, "%"),
    "cps": _count("c/s"),
    "ops": _count("ops/s"),
    "reqps": _count("req/s"),
    "ns": _time(1e-9),
    "µs": _time(1e-6),
    "ms": _time(1e-3),
    "s": _time(1),
    "m": _time(MINUTE),
    "h": _time(HOUR),
    "d": _time(DAY),
}
WHOLE: dict[str, Callable[[float, int | None], str]] = {
    "dtdurations": _spelt,
    "dtdhms": _clock,
    "dateTimeAsIso": lambda value, _: moment(value / 1000),
    "dateTimeFromNow": lambda value, _: moment(value / 1000),
    "string": lambda value, _: f"{value:g}",
}
