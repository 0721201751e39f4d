"""A tool spends its budget of wasted calls too fast: enough for it to matter, and still at it."""

from __future__ import annotations

from otel_loopwatch.pack import recording
from otel_loopwatch.pack.alert import Alert, Board, percent, said
from otel_loopwatch.pack.promql import JOB, all_of
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import Window
from otel_loopwatch.telemetry import names

ENOUGH_CALLS = 30
"""Calls in the long window below which a share says nothing: three wasted calls of four are 75 %."""


def burning(setup: SetUp, window: Window, recorded: bool) -> Alert:
    """The alert of one pair of windows."""
    limit = f"({window.factor:g} * {setup.budget:g})"
    share, calls = (_recorded_share, _recorded_calls) if recorded else (_share, _calls)
    return Alert(
        name="LoopwatchToolLoopBudgetBurn",
        severity=window.severity,
        expr=all_of(
            f"{share(setup, window.long)} > {limit}",
            f"{share(setup, window.short)} > {limit}",
            f"{calls(setup, window.long)} > {ENOUGH_CALLS}",
        ),
        summary=window.summary,
        description=(
            f"{percent()} of the calls of {said(names.TOOL_NAME, setup.naming)} in {said(JOB, setup.naming)} "
            f"in the last {window.long} were wasted on loops, and it goes on (budget {setup.budget * 100:g}%)."
        ),
        board=Board.TOOL,
        about=recording.BY,
        wait=window.wait,
        labels={"long": window.long, "short": window.short},
    )


def _recorded_share(setup: SetUp, over: str) -> str:
    return setup.query.recorded(recording.wasted_share(over))


def _recorded_calls(setup: SetUp, over: str) -> str:
    return setup.query.recorded(recording.calls(over))


def _share(setup: SetUp, over: str) -> str:
    return recording.wasted_share_expr(setup.query, over)


def _calls(setup: SetUp, over: str) -> str:
    return recording.calls_expr(setup.query, over)
