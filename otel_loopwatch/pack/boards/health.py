"""Loopwatch / Detector health: can what the other dashboards show be trusted, and would a loop be stopped?"""

from __future__ import annotations

from otel_loopwatch.control.delivery import Delivery
from otel_loopwatch.model import Outcome
from otel_loopwatch.pack.alert import Board
from otel_loopwatch.pack.boards.board import Dashboard, datasource
from otel_loopwatch.pack.boards.panel import (
    BLUE,
    GREEN,
    ORANGE,
    RED,
    Panel,
    Row,
    Target,
    Threshold,
    Unit,
    colored,
    lines,
    not_old,
    painted,
    stacked,
    stat,
    steps,
    zero_is_good,
)
from otel_loopwatch.pack.boards.view import SHOWN, STEP, View
from otel_loopwatch.pack.promql import JOB, MODEL_OPERATIONS, OVERFLOW, Match, Op, Query, any_of, divided
from otel_loopwatch.pack.recording import BY
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.settings import Options
from otel_loopwatch.telemetry import names

MAX_TOOL_NAMES = Options().max_tool_names
FULL = steps(Threshold(GREEN), Threshold(ORANGE, 0.8), Threshold(RED, 1))
MUCH = steps(Threshold(GREEN), Threshold(ORANGE, 0.25), Threshold(RED, 0.75))
DELIVERY_COLORS = {Delivery.DELIVERED: GREEN, Delivery.FAILED: RED, Delivery.DROPPED: ORANGE}


def health(setup: SetUp) -> Dashboard:
    """The dashboard."""
    view = View(setup)
    return Dashboard(
        board=Board.HEALTH,
        title="Detector health",
        description="Whether Loopwatch sees what agents do, keeps up with it, and can stop them.",
        variables=(datasource(), view.jobs),
        annotations=(view.halts,),
        panels=(
            *_numbers(view),
            Row("Does it see?"),
            *_seeing(view),
            Row("Is there room?"),
            *_room(view),
            Row("Would it stop a run?"),
            *_stopping(view),
        ),
    )


def _numbers(view: View) -> tuple[Panel, ...]:
    query = view.query
    return (
        stat(
            "Longest silence",
            "Time since Loopwatch was last heard of in the service that has been silent longest, within an hour.",
            Unit.SECONDS,
            f"time() - min(max by ({JOB}) ({view.last_heard}))",
            4,
            not_old(),
        ),
        stat(
            "Calls of unknown result",
            "Part of the tool calls whose results say nothing, mostly because content is not captured. Only names, "
            "failures and limits speak there, and no repeat is critical.",
            Unit.SHARE,
            _unknown(query, SHOWN),
            4,
            MUCH,
        ),
        stat(
            "Room taken",
            "Runs remembered, as a part of those that can be, in the service that has least room left.",
            Unit.SHARE,
            f"max({_room_taken(query)})",
            4,
            FULL,
        ),
        stat(
            "Tool names",
            f"Names that are told apart, in the service that has most. Beyond the limit ({MAX_TOOL_NAMES} unless set "
            f"otherwise) tools share the name {names.OTHER}.",
            Unit.NUMBER,
            _tool_names(view, query),
            4,
            steps(Threshold(GREEN), Threshold(ORANGE, round(0.9 * MAX_TOOL_NAMES))),
        ),
        stat(
            "Hook failures",
            "Calls of a control hook that raised or gave no action: the run was not stopped.",
            Unit.NUMBER,
            query.increase(names.CONTROL_HOOK_FAILURES, SHOWN),
            4,
            zero_is_good(),
        ),
        stat(
            "Own errors",
            "Errors inside Loopwatch, kept from the application; the spans concerned were not judged.",
            Unit.NUMBER,
            query.increase(names.PROCESSOR_FAILURES, SHOWN),
            4,
            zero_is_good(),
        ),
    )


def _seeing(view: View) -> tuple[Panel, ...]:
    query = view.query
    models = any_of(
        f"{query.rate(names.MODEL_CALLS, STEP, by=[JOB])} > 0",
        f"{query.rate(MODEL_OPERATIONS, STEP, by=[JOB], part='count')} > 0",
    )
    tools = query.rate(names.TOOL_CALLS, STEP, by=[JOB])
    return (
        lines(
            "Tool calls per model call",
            "Zero: an agent that only chats, or one to whose tools Loopwatch is blind. No line: no model is called.",
            Unit.NUMBER,
            (Target(any_of(divided(tools, f"({models})"), f"0 * ({models})"), view.legend(JOB)),),
            8,
            rare=True,
        ),
        lines(
            "Calls of unknown result",
            "Part of the tool calls whose results say nothing. Turn on the capture of content where it is high.",
            Unit.SHARE,
            (Target(_unknown(query, STEP, JOB), view.legend(JOB)),),
            8,
            top=1,
        ),
        stacked(
            "Spans not judged",
            "Duplicate: another span told the same call. Late: its trace had ended. Evicted, unfinished: it made room. "
            "Unreadable: a tool span without a call.",
            Unit.NUMBER,
            (view.events(query, names.PROCESSOR_SKIPPED, names.REASON),),
            8,
        ),
    )


def _room(view: View) -> tuple[Panel, ...]:
    query = view.query
    return (
        lines(
            "Room taken",
            "Runs remembered, as a part of those that can be (max_runs). At 100 % the oldest make room.",
            Unit.SHARE,
            (Target(_room_taken(query), view.legend(JOB)),),
            8,
            thresholds=FULL,
            top=1,
        ),
        stacked(
            "Runs dropped before their end",
            "ttl: nothing was heard of them for long. capacity: they made room for others, raise max_runs. shutdown: "
            "the process ended.",
            Unit.NUMBER,
            (view.events(query, names.RUN_EVICTED, names.REASON),),
            8,
            overrides=(colored("capacity", RED), colored("ttl", BLUE)),
        ),
        lines(
            "Calls counted without their tool's name",
            f"Part of the calls that are counted as {names.OTHER}, or beyond the SDK's limit of series: alerts per "
            "tool do not see them.",
            Unit.SHARE,
            (Target(_nameless(query), view.legend(JOB)),),
            8,
        ),
    )


def _stopping(view: View) -> tuple[Panel, ...]:
    query = view.query
    return (
        lines(
            "Time taken by the control hook",
            "The median, and what one call in a hundred exceeds. The agent waits for it.",
            Unit.SECONDS,
            view.quantiles(query, names.CONTROL_HOOK_DURATION, STEP, 0.99),
            6,
            rare=True,
        ),
        stacked(
            "What the hook answered",
            f"Actions by the control hook; {names.OTHER} where it failed.",
            Unit.NUMBER,
            (view.events(query, names.CONTROL_HOOK_DURATION, names.ACTION, part="count"),),
            6,
        ),
        stacked(
            "Failures by error",
            "Errors of the control hook, and of Loopwatch itself. All of these should be zero.",
            Unit.NUMBER,
            tuple(
                Target(
                    f"{query.increase(metric, STEP, by=[names.ERROR_TYPE])} > 0",
                    f"{whose} {view.legend(names.ERROR_TYPE)}",
                )
                for metric, whose in ((names.CONTROL_HOOK_FAILURES, "hook:"), (names.PROCESSOR_FAILURES, "own:"))
            ),
            6,
        ),
        stacked(
            "Stop reports",
            "Stop reports sent to the webhook, by what became of them.",
            Unit.NUMBER,
            (
                Target(
                    query.increase(names.WEBHOOK_DELIVERIES, STEP, by=[names.WEBHOOK_RESULT]),
                    view.legend(names.WEBHOOK_RESULT),
                ),
            ),
            6,
            overrides=painted(DELIVERY_COLORS),
        ),
    )


def _unknown(query: Query, over: str, *by: str) -> str:
    unknown = Match(names.CALL_OUTCOME, Op.IS, Outcome.UNKNOWN.value)
    return divided(
        query.increase(names.TOOL_CALLS, over, unknown, by=by), query.increase(names.TOOL_CALLS, over, by=by)
    )


def _room_taken(query: Query) -> str:
    return divided(_runs(query, names.RUN_ACTIVE), _runs(query, names.RUN_CAPACITY))


def _runs(query: Query, metric: names.Metric) -> str:
    return query.total(metric, query.select(metric), [JOB])


def _tool_names(view: View, query: Query) -> str:
    by = query.labels(BY)
    return f"max(count by ({JOB}) (count by ({by}) ({query.select(names.TOOL_CALLS)})))"


def _nameless(query: Query) -> str:
    other = query.rate(names.TOOL_CALLS, STEP, Match(names.TOOL_NAME, Op.IS, names.OTHER), by=[JOB])
    beyond = query.rate(names.TOOL_CALLS, STEP, Match(OVERFLOW, Op.IS, "true"), by=[JOB])
    return divided(f"({any_of(beyond, other)})", query.rate(names.TOOL_CALLS, STEP, by=[JOB]))
