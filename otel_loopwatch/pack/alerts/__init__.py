"""The alerts: on what users pay for first, then on what would keep us from seeing it.

Each is made for a set-up, and for an evaluator that has the recorded series (Prometheus) or has not (Grafana).
"""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.pack.alert import Alert
from otel_loopwatch.pack.alerts import health, runs
from otel_loopwatch.pack.alerts.burn import burning
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import WINDOWS

RUNS = (runs.halted, runs.not_recovering)
HEALTH = (
    health.hook_failing,
    health.processor_failing,
    health.blind,
    health.absent,
    health.overflowing,
    health.evicting,
    health.reports_lost,
)


def alerts(setup: SetUp, recorded: bool = True) -> Mapping[str, tuple[Alert, ...]]:
    """All alerts by group; ``recorded``: the evaluator has the series of the recording rules."""
    return {
        "loopwatch-budget": tuple(burning(setup, window, recorded) for window in WINDOWS),
        "loopwatch-runs": tuple(make(setup) for make in RUNS),
        "loopwatch-health": tuple(make(setup) for make in HEALTH),
    }
