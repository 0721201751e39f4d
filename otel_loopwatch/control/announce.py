"""A halt is told outside once, whoever halted the run and however many watch it."""

from __future__ import annotations

from otel_loopwatch.control.record import record
from otel_loopwatch.control.report import StopReport
from otel_loopwatch.control.run import RunView
from otel_loopwatch.control.webhook import Webhook
from otel_loopwatch.telemetry.metrics import Metrics


def announce(report: StopReport, run: RunView, webhook: Webhook | None, metrics: Metrics) -> None:
    """Log the report of a run that was not halted before; send it to ``webhook`` and those of all who watch the run.

    Raises nothing: what fails here must not keep the run from being halted.
    """
    try:
        record(report)
        for each in run.webhooks() | ({webhook} if webhook is not None else set()):
            each.send(report, metrics.delivered)
    except Exception as error:  # noqa: BLE001 - it must not reach the application
        metrics.failed(type(error).__qualname__)
