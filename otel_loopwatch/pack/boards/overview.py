"""Loopwatch / Overview: one screen for whoever is on call. Is an agent looping, which tool, what was done about it?"""

from __future__ import annotations

from otel_loopwatch.control.report import RunStatus
from otel_loopwatch.model import Kind
from otel_loopwatch.pack import recording
from otel_loopwatch.pack.alert import Board
from otel_loopwatch.pack.boards.board import Dashboard, datasource
from otel_loopwatch.pack.boards.panel import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    Panel,
    Row,
    Target,
    Threshold,
    Unit,
    as_wide,
    cells,
    colored,
    heatmap,
    hidden,
    lines,
    linked,
    not_old,
    painted,
    stacked,
    stat,
    steps,
    with_unit,
    zero_is_good,
)
from otel_loopwatch.pack.boards.table import table
from otel_loopwatch.pack.boards.view import NOW, SHOWN, STEP, View, wasted_share
from otel_loopwatch.pack.promql import JOB, Match, Op, Query, divided
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import WINDOWS
from otel_loopwatch.telemetry import names

ALERTS = 'ALERTS{alertname=~"Loopwatch.*", alertstate="firing", job=~"$job"}'
NOBODY = 'ALERTS{alertname="LoopwatchMetricsAbsent", alertstate="firing", job=""}'
"""An alert about no service in particular, which no choice of services hides."""
WORST = 8
TOOL_URL = (
    f"/d/{Board.TOOL.value}?${{datasource:queryparam}}&var-job=${{__data.fields.Job}}&var-tool=${{__data.fields.Tool}}"
    "&${__url_time_range}"
)
SHOWN_AT_ONCE = 5
"""Lines in a graph of tools."""
KIND_COLORS = {
    Kind.IDENTICAL: RED,
    Kind.DRIFT: BLUE,
    Kind.PING_PONG: "purple",
    Kind.CYCLE: ORANGE,
    Kind.NO_PROGRESS: "light-blue",
    Kind.RETRY_STORM: "yellow",
    Kind.DUPLICATE_WRITE: "dark-red",
    Kind.BUDGET: GREY,
}
STATUS_COLORS = {
    RunStatus.CLEAN: GREEN,
    RunStatus.RECOVERED: BLUE,
    RunStatus.LOOPED: ORANGE,
    RunStatus.LIMIT_REACHED: "purple",
    RunStatus.HALTED: RED,
}


def overview(setup: SetUp) -> Dashboard:
    """The dashboard."""
    view = View(setup)
    return Dashboard(
        board=Board.OVERVIEW,
        title="Overview",
        description="Tool-call loops of AI agents: seen, wasted, stopped.",
        variables=(datasource(), view.jobs),
        annotations=(view.halts,),
        panels=(*_now(view), *_worst(view), *_over_time(view), Row("Runs"), *_runs(view)),
    )


def _now(view: View) -> tuple[Panel, ...]:
    query, or_none = view.query, " or vector(0)"
    looping = query.increase(names.LOOP_WASTED_CALLS, NOW, by=recording.BY)
    return (
        stat(
            "Alerts firing",
            "Alerts of this pack that fire now; their names are in the table below.",
            Unit.NUMBER,
            f"count({ALERTS} or {NOBODY}){or_none}",
            4,
            zero_is_good(),
        ),
        stat(
            "Wasted share of calls",
            "Part of all tool calls that belonged to a loop and brought nothing new. Orange above the budget, red "
            "where it is spent fast enough to page.",
            Unit.SHARE,
            wasted_share(query, SHOWN),
            4,
            view.share_limits,
            decimals=1,
        ),
        stat(
            "Tools looping now",
            "Tools whose calls were wasted on a loop within the last five minutes.",
            Unit.NUMBER,
            f"count({looping} > 0){or_none}",
            4,
            zero_is_good(ORANGE),
        ),
        stat(
            "Runs halted",
            "Runs that were stopped in the time shown.",
            Unit.NUMBER,
            query.increase(names.RUN_HALTS, SHOWN),
            4,
            zero_is_good(ORANGE),
        ),
        stat(
            "Time wasted",
            "Time spent in calls of loops that brought nothing new, in the time shown.",
            Unit.SECONDS,
            query.increase(names.LOOP_WASTED_DURATION, SHOWN),
            4,
            decimals=1,
        ),
        stat(
            "Last heard",
            "Time since Loopwatch was last heard of in the service that was heard of last. Minutes mean that what is "
            "shown here is old.",
            Unit.SECONDS,
            f"time() - max({view.last_heard})",
            4,
            not_old(),
        ),
    )


def _worst(view: View) -> tuple[Panel, ...]:
    query, by = view.query, recording.BY
    wasted = query.increase(names.LOOP_WASTED_CALLS, SHOWN, by=by)
    worst = f"topk({WORST}, {wasted} > 0)"
    share = f"({wasted_share(query, SHOWN, *by)}) and ({worst})"
    firing = table(
        "Firing alerts",
        "Every alert of this pack that fires now. What to do about it is in the runbook.",
        {"alertname": "Alert", "severity": "Severity", "job": "Job", view.label(names.TOOL_NAME): "Tool"},
        {"Firing": f"{ALERTS} or {NOBODY}"},
        9,
        height=10,
        overrides=(hidden("Firing"), as_wide("Alert", 230), as_wide("Severity", 80)),
    )
    tools = table(
        "Tools that waste most",
        "Calls that brought nothing new, in the time shown, by tool. Choose a tool to see its own dashboard. Burn "
        "rate: how many times as fast as allowed the budget is spent.",
        {JOB: "Job", view.label(names.TOOL_NAME): "Tool"},
        {
            "Wasted": worst,
            "Calls": f"{query.increase(names.TOOL_CALLS, SHOWN, by=by)} and ({worst})",
            "Share": share,
            "Burn rate": f"({divided(f'({wasted_share(query, SHOWN, *by)})', f'{view.setup.budget:g}')}) and ({worst})",
            "Time": f"{query.increase(names.LOOP_WASTED_DURATION, SHOWN, by=by)} and ({worst})",
        },
        15,
        height=10,
        sort="Wasted",
        overrides=(
            with_unit("Share", Unit.SHARE, {"id": "decimals", "value": 1}, *cells(view.share_limits)),
            with_unit("Burn rate", Unit.NUMBER, {"id": "decimals", "value": 1}),
            with_unit("Time", Unit.SECONDS, {"id": "decimals", "value": 1}),
            linked("Tool", "This tool", TOOL_URL),
        ),
    )
    return firing, tools


def _over_time(view: View) -> tuple[Panel, ...]:
    query = view.query
    share, budget = query.recorded(recording.wasted_share("1h")), f"{view.setup.budget:g}"
    worst = f"topk({SHOWN_AT_ONCE}, {share} @ end() > 0)"
    pages = sorted(window.factor for window in WINDOWS)
    return (
        lines(
            "Burn rate by tool",
            "How many times as fast as allowed the budget of wasted calls was spent in the last hour, by the five "
            "tools that are worst at the end. Dashes: what the alerts look for. Needs the recording rules.",
            Unit.NUMBER,
            (Target(f"{divided(share, budget)}\nand\n{worst}", view.legend(*recording.BY)),),
            8,
            thresholds=steps(Threshold(GREEN), *(Threshold(_burn_color(f), f) for f in pages)),
            top=pages[-1],
        ),
        stacked(
            "Loops by kind",
            "Which shapes of loop were signalled, warnings and criticals together.",
            Unit.NUMBER,
            (view.events(query, names.LOOP_SIGNALS, names.LOOP_KIND),),
            8,
            overrides=painted(KIND_COLORS),
        ),
        stacked(
            "Loops by level",
            "Warnings are told, criticals can be stopped.",
            Unit.NUMBER,
            (view.events(query, names.LOOP_SIGNALS, names.LOOP_LEVEL),),
            8,
            overrides=(colored("warning", ORANGE), colored("critical", RED)),
        ),
    )


def _burn_color(factor: float) -> str:
    return RED if factor == max(window.factor for window in WINDOWS) else ORANGE


def _runs(view: View) -> tuple[Panel, ...]:
    query = view.query
    halts = query.increase(names.RUN_HALTS, STEP, by=(names.TOOL_NAME, names.RUN_STOP_REASON))
    return (
        stacked(
            "How runs end",
            "Clean, recovered from a loop, still looping, halted, or ended by a limit of their framework.",
            Unit.NUMBER,
            (view.events(query, names.RUN_ENDED, names.RUN_STATUS),),
            8,
            overrides=painted(STATUS_COLORS),
        ),
        stacked(
            "Halts",
            "Runs that were stopped, by the tool and the kind of loop.",
            Unit.NUMBER,
            (Target(f"{halts} > 0", view.legend(names.TOOL_NAME, names.RUN_STOP_REASON)),),
            8,
        ),
        stacked(
            "Limits reached, and why guarded runs ended",
            "Which limits of frameworks ended runs, and how runs ended that the guard watches.",
            Unit.NUMBER,
            tuple(
                Target(f"{_ended(query, why)} > 0", view.legend(why))
                for why in (names.RUN_LIMIT, names.RUN_TERMINATION)
            ),
            8,
        ),
        lines(
            "Calls per run",
            "Tool calls of the runs that ended: the median, and what one in twenty exceeds.",
            Unit.NUMBER,
            view.quantiles(query, names.RUN_TOOL_CALLS, STEP, 0.95),
            12,
            rare=True,
        ),
        heatmap(
            "Duration of runs",
            "Time from the first call of a run to the end of its last. Loops move it up.",
            Unit.SECONDS,
            Target(
                f"sum by (le) (increase({query.select(names.RUN_DURATION, part='bucket')}[{STEP}]))",
                "{{le}}",
            ),
            12,
        ),
    )


def _ended(query: Query, why: str) -> str:
    """Runs that ended for a reason of this sort; the others have no such label."""
    return query.increase(names.RUN_ENDED, STEP, Match(why, Op.IS_NOT, ""), by=[why])
