"""A halt as one structured log record, for logging's own handlers and for OpenTelemetry's."""

from __future__ import annotations

import logging

from otel_loopwatch.control.report import StopReport
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)


def record(report: StopReport) -> None:
    """One record of level ERROR: the sentence for people as its message, the report and its main fields beside it."""
    log.error("Run halted: %s", report.reason, extra=fields(report))


def fields(report: StopReport) -> dict[str, object]:
    """What the record carries; what is not known is left out, since a log attribute has no null."""
    known: dict[str, object | None] = {
        "loopwatch_stop_report": report.to_json(),
        "loopwatch_run": report.run,
        "loopwatch_state": report.state.value,
        "loopwatch_termination": report.termination.value,
        "loopwatch_stop_reason": report.stop_reason.value if report.stop_reason is not None else None,
        "loopwatch_tools": report.tools,
        "loopwatch_completed_calls": report.completed_calls,
        "loopwatch_wasted_calls": report.wasted_calls,
        "loopwatch_exit_code": report.exit_code,
    }
    return {name: value for name, value in known.items() if value is not None}
