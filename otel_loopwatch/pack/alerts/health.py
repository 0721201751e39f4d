"""What would keep us from seeing a loop, or from stopping it."""

from __future__ import annotations

from otel_loopwatch.control.delivery import Delivery
from otel_loopwatch.pack.alert import Alert, Board, said
from otel_loopwatch.pack.promql import JOB, MODEL_OPERATIONS, OVERFLOW, Match, Op, Query, any_of
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import Severity
from otel_loopwatch.telemetry import names

BLIND_OVER = "15m"
SILENT_FOR = "30m"


def hook_failing(setup: SetUp) -> Alert:
    """The brake does not work."""
    return Alert(
        name="LoopwatchControlHookFailing",
        severity=Severity.CRITICAL,
        expr=setup.query.happened(names.CONTROL_HOOK_FAILURES, "10m", by=(JOB, names.ERROR_TYPE)),
        summary="A Loopwatch control hook is failing.",
        description=(
            f"The control hook in {said(JOB, setup.naming)} fails with {said(names.ERROR_TYPE, setup.naming)}; "
            "runs that loop are not being stopped."
        ),
        board=Board.HEALTH,
        keep="15m",
    )


def processor_failing(setup: SetUp) -> Alert:
    """Errors of our own."""
    return Alert(
        name="LoopwatchProcessorFailing",
        severity=Severity.WARNING,
        expr=setup.query.happened(names.PROCESSOR_FAILURES, "10m", by=(JOB, names.ERROR_TYPE)),
        summary="Loopwatch fails on spans of an agent.",
        description=(
            f"Loopwatch in {said(JOB, setup.naming)} failed with {said(names.ERROR_TYPE, setup.naming)}; "
            "those spans were not judged."
        ),
        board=Board.HEALTH,
        keep="15m",
    )


def blind(setup: SetUp) -> Alert:
    """Models are called, by what we see or by what the instrumentation says, and we see no tool call."""
    query = setup.query
    if setup.chat_only:
        query = query.where(JOB, Op.UNLIKE, setup.chat_only)
    models = any_of(
        f"{query.rate(names.MODEL_CALLS, BLIND_OVER, by=[JOB])} > 0",
        f"{query.rate(MODEL_OPERATIONS, BLIND_OVER, by=[JOB], part='count')} > 0",
    )
    return Alert(
        name="LoopwatchDetectorBlind",
        severity=Severity.WARNING,
        expr=f"(\n{models}\n)\nunless on ({JOB})\n  {query.rate(names.TOOL_CALLS, BLIND_OVER, by=[JOB])} > 0",
        summary="An agent is working, but Loopwatch sees none of its tool calls.",
        description=(
            f"Models are called in {said(JOB, setup.naming)}, and no tool call was seen for half an hour: "
            "a loop would not be seen either."
        ),
        board=Board.HEALTH,
        wait=BLIND_OVER,
    )


def absent(setup: SetUp) -> Alert:
    """Nothing is heard of us at all; of each service, where they are known by name."""
    query = Query(setup.naming)
    series = [query.select(names.RUN_ACTIVE, Match(JOB, Op.IS, job)) for job in setup.jobs]
    series = series or [query.select(names.RUN_ACTIVE)]
    who = said(JOB, setup.naming) if setup.jobs else "any agent"
    return Alert(
        name="LoopwatchMetricsAbsent",
        severity=Severity.WARNING,
        expr=any_of(*(f"absent_over_time({one}[{SILENT_FOR}])" for one in series)),
        summary="No Loopwatch metrics are arriving.",
        description=f"Nothing was heard of Loopwatch in {who} for {SILENT_FOR}: loops and halts would not be seen.",
        board=Board.HEALTH,
        about=(JOB,) if setup.jobs else (),
        wait="5m",
    )


def overflowing(setup: SetUp) -> Alert:
    """Tools share a series, by our limit of names or by the SDK's of series: alerts per tool go quiet."""
    query = setup.query
    return Alert(
        name="LoopwatchToolCardinalityOverflow",
        severity=Severity.WARNING,
        expr=any_of(
            f"{query.rate(names.TOOL_CALLS, '15m', Match(names.TOOL_NAME, Op.IS, names.OTHER), by=[JOB])} > 0",
            f"{query.rate(names.TOOL_CALLS, '15m', Match(OVERFLOW, Op.IS, 'true'), by=[JOB])} > 0",
        ),
        summary="Loopwatch counts several tools as one.",
        description=(
            f"There are more tool names in {said(JOB, setup.naming)} than are told apart; "
            "a loop of one of the others does not alert by itself."
        ),
        board=Board.HEALTH,
        wait="15m",
    )


def evicting(setup: SetUp) -> Alert:
    """Runs make room for others before they end."""
    capacity = Match(names.REASON, Op.IS, names.CAPACITY)
    return Alert(
        name="LoopwatchRunsEvictedEarly",
        severity=Severity.WARNING,
        expr=f"{setup.query.rate(names.RUN_EVICTED, '15m', capacity, by=[JOB])} > 0",
        summary="Loopwatch forgets runs that are still going on.",
        description=f"Runs in {said(JOB, setup.naming)} are dropped for lack of room; raise max_runs.",
        board=Board.HEALTH,
        wait="15m",
    )


def reports_lost(setup: SetUp) -> Alert:
    """Somebody waits for stop reports, and they do not come."""
    lost = Match(names.WEBHOOK_RESULT, Op.LIKE, f"{Delivery.FAILED.value}|{Delivery.DROPPED.value}")
    return Alert(
        name="LoopwatchStopReportsLost",
        severity=Severity.WARNING,
        expr=setup.query.happened(names.WEBHOOK_DELIVERIES, "10m", lost, by=(JOB, names.WEBHOOK_RESULT)),
        summary="Stop reports do not reach the webhook.",
        description=(
            f"Stop reports of runs halted in {said(JOB, setup.naming)} were not delivered "
            f"({said(names.WEBHOOK_RESULT, setup.naming)}); they are on the spans and in the log."
        ),
        board=Board.HEALTH,
        keep="15m",
    )
