"""The alerts as Grafana evaluates them itself: a file for its folder ``provisioning/alerting``.

Grafana has none of the recorded series, so the expressions are worked out in full. An alert whose expression gives
nothing is well: ``noDataState: OK``. In annotations Grafana replaces ``${NAME}`` by environment variables and leaves
``$labels`` alone. ``keepFiringFor`` is known from Grafana 12 on, and ignored before.
"""

from __future__ import annotations

from typing import Any

from otel_loopwatch.pack.alert import VALUE, Alert
from otel_loopwatch.pack.alerts import alerts
from otel_loopwatch.pack.rules import told
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import BUDGET_PERIOD, seconds
from otel_loopwatch.pack.yamls import dumped

FOLDER = "Loopwatch"
INTERVAL = "1m"
ASKED, CONDITION = "A", "B"
VALUE_OF_ASKED = f"$values.{ASKED}.Value"
EXPRESSIONS = "__expr__"


def grafana_alerts(setup: SetUp) -> str:
    """A provisioning file with all alerts."""
    groups = [
        {
            "orgId": 1,
            "name": name,
            "folder": FOLDER,
            "interval": INTERVAL,
            "rules": [_rule(alert, setup) for alert in group],
        }
        for name, group in alerts(setup, recorded=False).items()
    ]
    return dumped({"apiVersion": 1, "groups": groups}, "Alerts of Loopwatch for Grafana: provisioning/alerting.")


def _rule(alert: Alert, setup: SetUp) -> dict[str, Any]:
    title = " ".join([alert.name, *alert.labels.values()])
    keep = {"keepFiringFor": alert.keep} if alert.keep else {}
    return {
        "uid": title.replace(" ", "-").lower(),
        "title": title,
        "condition": CONDITION,
        "data": [_asked(alert.expr, setup.datasource), _positive()],
        "for": alert.wait or "0s",
        **keep,
        "noDataState": "OK",
        "execErrState": "Error",
        "annotations": {
            key: text.replace(VALUE + " ", VALUE_OF_ASKED + " ") for key, text in told(alert, setup).items()
        },
        "labels": {"severity": alert.severity.value, **alert.labels},
    }


def _asked(expr: str, datasource: str) -> dict[str, Any]:
    return {
        "refId": ASKED,
        "relativeTimeRange": {"from": seconds(BUDGET_PERIOD) // 30, "to": 0},
        "datasourceUid": datasource,
        "model": {"refId": ASKED, "expr": expr, "instant": True, "range": False, "editorMode": "code"},
    }


def _positive() -> dict[str, Any]:
    """Whatever an expression gives, alerts: it has compared already. A rate of recovery may be 0."""
    condition = {
        "type": "query",
        "evaluator": {"type": "gt", "params": [-1]},
        "operator": {"type": "and"},
        "query": {"params": [ASKED]},
        "reducer": {"type": "last", "params": []},
    }
    source = {"type": EXPRESSIONS, "uid": EXPRESSIONS}
    model = {
        "refId": CONDITION,
        "type": "threshold",
        "datasource": source,
        "expression": ASKED,
        "conditions": [condition],
    }
    return {
        "refId": CONDITION,
        "relativeTimeRange": {"from": 0, "to": 0},
        "datasourceUid": EXPRESSIONS,
        "model": model,
    }
