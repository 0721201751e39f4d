"""Annotations: when the queries of the dashboard's annotations had something to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from live import api

from drawing.data import Sources, number
from drawing.model import Json
from drawing.window import seconds

STEP = "60s"


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of time (or a moment) that is marked in every chart."""

    start: float
    end: float
    colour: str
    """By its name."""


def shown(annotations: Sequence[Json]) -> list[Json]:
    """The annotations that have a switch on the page."""
    return [each for each in annotations if "expr" in each and not each.get("hide")]


def marks_of(annotations: Sequence[Json], sources: Sources) -> list[Mark]:
    """The marks of all annotations that are switched on."""
    return [
        mark
        for annotation in annotations
        if "expr" in annotation and annotation.get("enable", True)
        for mark in _marks(annotation, sources)
    ]


def _marks(annotation: Json, sources: Sources) -> Iterator[Mark]:
    step = seconds(annotation.get("step") or STEP)
    grid = sources.window.grid(step)
    expr = sources.expression(annotation["expr"], step)
    for series in api.over(sources.prometheus, expr, grid[0], grid[-1], step):
        times = [float(time) for time, text in series["values"] if number(text)]
        for start, end in stretches(times, step):
            yield Mark(start, end, annotation.get("iconColor", "light-blue"))


def stretches(times: Sequence[float], step: float) -> Iterator[tuple[float, float]]:
    """First and last moment of each run of moments that follow each other."""
    start: float | None = None
    for time, following in zip(times, [*times[1:], None], strict=True):
        start = time if start is None else start
        if following is None or following - time > step:
            yield start, time
            start = None
