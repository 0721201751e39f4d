"""What became of runs that looped: they were halted, or told in vain."""

from __future__ import annotations

from otel_loopwatch.model import Action, Level
from otel_loopwatch.pack.alert import Alert, Board, percent, said
from otel_loopwatch.pack.promql import JOB, Match, Op, all_of, divided
from otel_loopwatch.pack.recording import BY
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import Severity
from otel_loopwatch.telemetry import names

ENOUGH_NUDGES = 5
"""Nudges in six hours below which a rate of recovery says nothing."""
FEW_RECOVERIES = 0.2
"""Share of loops that were got out of, below which telling the model does not help."""


def halted(setup: SetUp) -> Alert:
    """A run was stopped: the very first one, too."""
    return Alert(
        name="LoopwatchRunHalted",
        severity=Severity.WARNING,
        expr=setup.query.happened(names.RUN_HALTS, "10m", by=(*BY, names.RUN_STOP_REASON)),
        summary="Loopwatch halted an agent run.",
        description=(
            f"A run in {said(JOB, setup.naming)} was halted at {said(names.TOOL_NAME, setup.naming)} "
            f"({said(names.RUN_STOP_REASON, setup.naming)}); its stop report says what must change before it goes on."
        ),
        board=Board.TOOL,
        about=BY,
    )


def not_recovering(setup: SetUp) -> Alert:
    """The model is told that it loops, and goes on."""
    query, over = setup.query, "6h"
    nudges = query.increase(names.CONTROL_ACTIONS, over, Match(names.ACTION, Op.IS, Action.NUDGE.value), by=BY)
    loops = query.increase(names.LOOP_SIGNALS, over, Match(names.LOOP_LEVEL, Op.IS, Level.WARNING.value), by=BY)
    recovered = divided(query.increase(names.LOOP_RECOVERIES, over, by=BY), loops)
    return Alert(
        name="LoopwatchLoopsNotRecovering",
        severity=Severity.WARNING,
        expr=all_of(f"(\n{recovered}\n) < {FEW_RECOVERIES:g}", f"{nudges} >= {ENOUGH_NUDGES}"),
        summary="Agents are told that they loop, and go on looping.",
        description=(
            f"Runs in {said(JOB, setup.naming)} got out of {percent()} of the loops of "
            f"{said(names.TOOL_NAME, setup.naming)} in the last {over}, although the model was told."
        ),
        board=Board.TOOL,
        about=BY,
        wait="15m",
    )
