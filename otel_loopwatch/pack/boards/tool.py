"""Loopwatch / Tool: what happens with one tool. Does it loop, since when, how, and does telling the model help?"""

from __future__ import annotations

from otel_loopwatch.model import Action, Level, Outcome
from otel_loopwatch.pack import recording
from otel_loopwatch.pack.alert import Board
from otel_loopwatch.pack.boards.board import Dashboard, datasource, leading_to
from otel_loopwatch.pack.boards.panel import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    Panel,
    Target,
    Threshold,
    Unit,
    colored,
    lines,
    painted,
    stacked,
    stat,
    steps,
    zero_is_good,
)
from otel_loopwatch.pack.boards.table import table
from otel_loopwatch.pack.boards.view import SHOWN, STEP, View, wasted_share
from otel_loopwatch.pack.promql import Match, Op, Query, divided
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import BUDGET_PERIOD
from otel_loopwatch.telemetry import names

WINDOWS = ("5m", "1h", "6h")
OUTCOME_COLORS = {
    Outcome.SUCCESS: GREEN,
    Outcome.EMPTY: "light-orange",
    Outcome.PENDING: BLUE,
    Outcome.RETRYABLE: ORANGE,
    Outcome.PRECONDITION: "purple",
    Outcome.FATAL: RED,
    Outcome.UNKNOWN: GREY,
}
ACTION_COLORS = {Action.NUDGE: BLUE, Action.BLOCK: ORANGE, Action.HALT: RED}


def tool(setup: SetUp) -> Dashboard:
    """The dashboard."""
    view = View(setup)
    return Dashboard(
        board=Board.TOOL,
        title="Tool",
        description="One tool of AI agents: its calls, its loops, and what became of them.",
        variables=(datasource(), view.jobs, view.tool),
        annotations=(view.halts_of_tool,),
        links=(leading_to(Board.TRACES, "Traces of this tool", ["tool"]),),
        panels=(*_numbers(view), *_calls(view), *_loops(view)),
    )


def _numbers(view: View) -> tuple[Panel, ...]:
    query = view.of_tool
    spent = divided(f"({wasted_share(query, BUDGET_PERIOD)})", f"{view.setup.budget:g}")
    return (
        stat("Calls", "Calls of this tool in the time shown.", Unit.NUMBER, query.increase(names.TOOL_CALLS, SHOWN), 3),
        stat(
            "Wasted calls",
            "Calls of loops that brought nothing new.",
            Unit.NUMBER,
            query.increase(names.LOOP_WASTED_CALLS, SHOWN),
            3,
            zero_is_good(ORANGE),
        ),
        stat(
            "Wasted share",
            "Part of this tool's calls that was wasted. Orange above the budget, red where it pages.",
            Unit.SHARE,
            wasted_share(query, SHOWN),
            3,
            view.share_limits,
            decimals=1,
        ),
        stat(
            "Budget left",
            f"What is left of the calls that may be wasted over {BUDGET_PERIOD}; below zero, more were.",
            Unit.SHARE,
            f"1 - ({spent})",
            3,
            steps(Threshold(RED), Threshold(ORANGE, 0), Threshold(GREEN, 0.5)),
        ),
        stat(
            "Got out of loops",
            "Part of the loops that were warned of and that the run got out of, in the time shown.",
            Unit.SHARE,
            _recovered(query, SHOWN),
            3,
            steps(Threshold(RED), Threshold(ORANGE, 0.2), Threshold(GREEN, 0.5)),
        ),
        stat(
            "Runs halted",
            "Runs that were stopped at this tool.",
            Unit.NUMBER,
            query.increase(names.RUN_HALTS, SHOWN),
            3,
            zero_is_good(ORANGE),
        ),
        stat(
            "Time wasted",
            "Time spent in wasted calls.",
            Unit.SECONDS,
            query.increase(names.LOOP_WASTED_DURATION, SHOWN),
            3,
            decimals=1,
        ),
        stat(
            "Tokens wasted",
            "Model tokens spent on wasted calls, where the instrumentation tells tokens.",
            Unit.NUMBER,
            query.increase(names.LOOP_WASTED_TOKENS, SHOWN),
            3,
            decimals=1,
        ),
    )


def _calls(view: View) -> tuple[Panel, ...]:
    query = view.of_tool
    shares = tuple(Target(f"max({query.recorded(recording.wasted_share(over))})", f"last {over}") for over in WINDOWS)
    return (
        lines(
            "Calls and wasted calls",
            "Calls a second, and those of them that belonged to a loop and brought nothing new.",
            Unit.PER_SECOND,
            (
                Target(query.rate(names.TOOL_CALLS, STEP), "calls"),
                Target(query.rate(names.LOOP_WASTED_CALLS, STEP), "wasted"),
            ),
            12,
            overrides=(colored("calls", BLUE), colored("wasted", RED)),
        ),
        lines(
            "Wasted share, as the alerts see it",
            "In the last five minutes, the last hour and the last six, in the service where it is highest. Dashes: the "
            "budget, and where it pages. Needs the recording rules.",
            Unit.SHARE,
            shares,
            12,
            thresholds=view.share_limits,
        ),
        stacked(
            "Calls by outcome",
            "What the results say. Empty and failing results are what loops are made of; unknown means that results "
            "are not captured.",
            Unit.NUMBER,
            (view.events(query, names.TOOL_CALLS, names.CALL_OUTCOME),),
            12,
            overrides=painted(OUTCOME_COLORS),
        ),
        lines(
            "Attempts until a loop is signalled",
            "How long loops of this tool were when they were told: the median, and what one in twenty exceeds.",
            Unit.NUMBER,
            view.quantiles(query, names.LOOP_ATTEMPTS, SHOWN, 0.95),
            12,
        ),
    )


def _loops(view: View) -> tuple[Panel, ...]:
    query = view.of_tool
    kinds = {
        level.value.capitalize(): query.increase(
            names.LOOP_SIGNALS, SHOWN, Match(names.LOOP_LEVEL, Op.IS, level.value), by=[names.LOOP_KIND]
        )
        + " > 0"
        for level in (Level.WARNING, Level.CRITICAL)
    }
    return (
        table(
            "Loops by kind and level",
            "Which shapes of loop were signalled, in the time shown.",
            {view.label(names.LOOP_KIND): "Kind"},
            kinds,
            8,
            sort="Warning",
            nothing="0",
        ),
        stacked(
            "What was done about loops",
            "Nudges, refused calls and halts, where an adapter or the guard stands in the way of the tool.",
            Unit.NUMBER,
            (view.events(query, names.CONTROL_ACTIONS, names.ACTION),),
            8,
            overrides=painted(ACTION_COLORS),
        ),
        stacked(
            "Loops warned of, and got out of",
            "A loop that was warned of and not got out of ended with the run, or with its halt.",
            Unit.NUMBER,
            (
                Target(f"{_warned(query, STEP)} > 0", "warned of"),
                Target(f"{query.increase(names.LOOP_RECOVERIES, STEP)} > 0", "got out of"),
            ),
            8,
            overrides=(colored("warned of", ORANGE), colored("got out of", GREEN)),
        ),
    )


def _warned(query: Query, over: str) -> str:
    return query.increase(names.LOOP_SIGNALS, over, Match(names.LOOP_LEVEL, Op.IS, Level.WARNING.value))


def _recovered(query: Query, over: str) -> str:
    return divided(query.increase(names.LOOP_RECOVERIES, over), _warned(query, over))
