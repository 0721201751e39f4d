"""Rules as Prometheus, Mimir and vmalert load them, and as the Prometheus operator does."""

from __future__ import annotations

from typing import Any

from otel_loopwatch.pack.alert import Alert
from otel_loopwatch.pack.alerts import alerts
from otel_loopwatch.pack.recording import recordings
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.yamls import dumped

RECORDING_EVERY = "1m"


def groups(setup: SetUp) -> dict[str, Any]:
    """All groups of rules."""
    recorded = [{"record": one.series.name, "expr": one.expr} for one in recordings(setup.query)]
    alerting = [
        {"name": name, "rules": [_rule(alert, setup) for alert in group]} for name, group in alerts(setup).items()
    ]
    return {"groups": [{"name": "loopwatch-recording", "interval": RECORDING_EVERY, "rules": recorded}, *alerting]}


def _rule(alert: Alert, setup: SetUp) -> dict[str, Any]:
    waits = {"for": alert.wait, "keep_firing_for": alert.keep}
    return {
        "alert": alert.name,
        "expr": alert.expr,
        **{key: wait for key, wait in waits.items() if wait},
        "labels": {"severity": alert.severity.value, **alert.labels},
        "annotations": told(alert, setup),
    }


def told(alert: Alert, setup: SetUp) -> dict[str, str]:
    """What whoever is called reads."""
    return {
        "summary": alert.summary,
        "description": alert.description,
        "runbook_url": f"{setup.runbook_url}#{alert.anchor}",
        "dashboard_url": setup.grafana_url.rstrip("/") + alert.dashboard_path(setup.naming),
    }


def prometheus(setup: SetUp) -> str:
    """A rules file: ``rule_files`` of Prometheus, ``mimirtool rules load``, ``vmalert -rule``."""
    return dumped(groups(setup), "Alerting and recording rules of Loopwatch, for rule_files of Prometheus.")


def kubernetes(setup: SetUp) -> str:
    """The same as a resource of the Prometheus operator."""
    labels = {"app.kubernetes.io/name": "loopwatch", "role": "alert-rules"}
    return dumped(
        {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "PrometheusRule",
            "metadata": {"name": "loopwatch", "labels": labels},
            "spec": groups(setup),
        },
        "The rules of Loopwatch for the Prometheus operator: kubectl apply -n monitoring -f this file.",
    )
