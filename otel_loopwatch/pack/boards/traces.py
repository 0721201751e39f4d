"""Loopwatch / Traces: the runs themselves, in Tempo, by the attributes that Loopwatch writes on spans."""

from __future__ import annotations

from collections.abc import Iterable

from otel_loopwatch.control.report import RunStatus
from otel_loopwatch.model import Level
from otel_loopwatch.pack.alert import Board
from otel_loopwatch.pack.boards.board import Dashboard, datasource, leading_to, typed
from otel_loopwatch.pack.boards.panel import Panel
from otel_loopwatch.pack.boards.table import spans
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.telemetry import names

CHOSEN = 'resource.service.name =~ "$service"'
OF_TOOL = 'name =~ ".*$tool.*"'
"""Every dialect has the tool's name in the name of its span, and each in an attribute of its own."""
LOOPING = tuple(status.value for status in RunStatus if status is not RunStatus.CLEAN)
WHERE = {"Trace Service": ("Service", 140), "Start time": ("Start", 170), "Span ID": ("Span", 160)}
"""Columns that Tempo has for every span; the span's id leads to its trace."""
NAME = {"Name": ("Call", 210)}
REASON = {names.LOOP_REASON: ("Reason", None)}
RUN = {
    names.RUN_STATUS: ("Ended", 110),
    names.RUN_STOP_REASON: ("Halted for", 120),
    names.RUN_WASTED_CALLS: ("Wasted calls", 110),
    names.RUN_REPEAT_MAX: ("Repeats", 90),
    **REASON,
}
LOOP = {
    names.LOOP_KIND: ("Kind", 120),
    names.LOOP_COUNT: ("Count", 80),
    names.LOOP_ACTION: ("Action", 90),
    **REASON,
}
"""Attributes that are shown, their headings and widths in pixels."""


def traces(_: SetUp) -> Dashboard:
    """The dashboard. Spans have the same names in every set-up."""
    return Dashboard(
        board=Board.TRACES,
        title="Traces",
        description="Runs of AI agents that looped, and the calls at which it was seen.",
        variables=(
            datasource("tempo_datasource", "Tempo data source", "tempo"),
            typed("service", "Service", ".*"),
            typed("tool", "Tool", ""),
        ),
        links=(leading_to(Board.OVERVIEW, "Overview", []),),
        panels=_panels(),
    )


def _panels() -> tuple[Panel, ...]:
    return (
        spans(
            "Runs that looped",
            "Spans of agents whose run ended within a loop or got out of one, was halted, or was ended by a limit of "
            "its framework. Choose one to see its trace.",
            traceql(f'{_is(names.RUN_STATUS)} =~ "{"|".join(LOOPING)}"', CHOSEN, select=RUN),
            WHERE | RUN,
            10,
        ),
        spans(
            "Critical loops",
            "Tool spans at which a loop was found that can be stopped.",
            traceql(_at(Level.CRITICAL), CHOSEN, OF_TOOL, select=LOOP),
            WHERE | NAME | LOOP,
            9,
        ),
        spans(
            "Warnings",
            "Tool spans at which a loop was told for the first time.",
            traceql(_at(Level.WARNING), CHOSEN, OF_TOOL, select=LOOP),
            WHERE | NAME | LOOP,
            9,
        ),
    )


def traceql(*conditions: str, select: Iterable[str]) -> str:
    """Spans for which all conditions hold, with these attributes."""
    return f"{{ {' && '.join(conditions)} }} | select({', '.join(map(_is, select))})"


def _is(attribute: str) -> str:
    return f"span.{attribute}"


def _at(level: Level) -> str:
    """At a call, and not at the agent's span, which carries the same attributes."""
    return f'{_is(names.LOOP_LEVEL)} = "{level.value}" && {_is(names.CALL_OUTCOME)} != nil'
