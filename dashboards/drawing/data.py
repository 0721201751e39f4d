"""What a panel shows: its queries asked, their answers as frames."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from live import api
from live.queries import SCRAPE_S, substituted

from drawing import tempo
from drawing.frames import Field, Frame, Kind, Value
from drawing.layout import Box
from drawing.model import Json, Panel
from drawing.spans import Span
from drawing.window import Window, seconds

Series = Mapping[str, Any]
LEGEND = re.compile(r"\{\{\s*(.+?)\s*\}\}")
AUTO = "__auto"
BUCKET = "le"
UNNAMED = "Value"
"""A series of whose legend nothing is left, and the values of a table."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where answers come from: Prometheus (or what speaks like it) and spans, for a range of time."""

    prometheus: str
    spans: Sequence[Span]
    window: Window
    variables: Mapping[str, str]

    def expression(self, expr: str, step: float) -> str:
        """A query with its variables replaced."""
        return substituted(expr, self.variables, step, self.window.length)


def frames_of(panel: Panel, box: Box, sources: Sources) -> list[Frame]:
    """The answers to all queries of a panel of that size.

    :raises live.api.Refused: where a query fails.
    """
    tables = sum(target.get("format") == "table" for target in panel.targets)
    frames: list[Frame] = []
    for target in panel.targets:
        if (target.get("datasource") or panel.datasource).get("type") == "tempo":
            query = sources.expression(target["query"], sources.window.length)
            frames.append(tempo.table(target, query, sources.spans, sources.window))
        else:
            frames += _asked(target, _step(panel, target, box, sources.window), sources, alone=tables < 2)
    return frames


def _step(panel: Panel, target: Json, box: Box, window: Window) -> float:
    least = panel.min_step or target.get("interval") or f"{SCRAPE_S}s"
    return window.step(panel.max_points or box.width, seconds(least)) * int(target.get("intervalFactor") or 1)


def _asked(target: Json, step: float, sources: Sources, *, alone: bool) -> list[Frame]:
    expr, window, ref = sources.expression(target["expr"], step), sources.window, target["refId"]
    if target.get("instant"):
        answer = api.instant(sources.prometheus, expr, window.end)
        if target.get("format") == "table":
            return [table(answer, ref, UNNAMED if alone else f"{UNNAMED} #{ref}")]
        return [_frame(series, target, expr, (series["value"],), (series["value"][0],)) for series in answer]
    grid = window.grid(step)
    answer = api.over(sources.prometheus, expr, grid[0], grid[-1], step)
    frames = [_frame(series, target, expr, series["values"], grid) for series in answer]
    return sorted(frames, key=_edge) if target.get("format") == "heatmap" else frames


def _frame(series: Series, target: Json, expr: str, samples: Sequence[Any], grid: Sequence[float]) -> Frame:
    labels, known = series["metric"], {float(time): number(text) for time, text in samples}
    name = legend(labels, target.get("legendFormat") or "", expr)
    values = Field(name, Kind.NUMBER, tuple(known.get(float(time)) for time in grid), labels)
    return Frame(target["refId"], (Field("Time", Kind.TIME, tuple(map(float, grid))), values))


def table(answer: Sequence[Series], ref: str, value: str) -> Frame:
    """Series of one moment as rows: time, labels in alphabetical order, value."""
    names = sorted({name for series in answer for name in series["metric"]})
    labels = (Field(name, Kind.TEXT, tuple(series["metric"].get(name) for series in answer)) for name in names)
    times = Field("Time", Kind.TIME, tuple(float(series["value"][0]) for series in answer))
    numbers = Field(value, Kind.NUMBER, tuple(number(series["value"][1]) for series in answer))
    return Frame(ref, (times, *labels, numbers))


def number(text: str) -> Value:
    """A sample's value; what is not a number is none."""
    value = float(text)
    return None if math.isnan(value) else value


def legend(labels: Mapping[str, str], form: str, expr: str) -> str:
    """What a series is called."""
    if form and form != AUTO:
        return LEGEND.sub(lambda label: labels.get(label[1], ""), form) or UNNAMED
    named = {name: value for name, value in labels.items() if name != "__name__"}
    if form == AUTO and len(named) == 1:
        return next(iter(named.values()))
    inside = ", ".join(f'{name}="{value}"' for name, value in named.items())
    return labels.get("__name__", "") + (f"{{{inside}}}" if inside else "") or expr


def _edge(frame: Frame) -> float:
    return float(frame.fields[-1].labels.get(BUCKET, "inf"))
