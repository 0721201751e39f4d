"""Everything in a pack: which files, where, and what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from importlib import resources

from otel_loopwatch.pack.boards import dashboards
from otel_loopwatch.pack.grafana_alerts import grafana_alerts
from otel_loopwatch.pack.rules import kubernetes, prometheus
from otel_loopwatch.pack.setup import RUNBOOK, SetUp
from otel_loopwatch.pack.yamls import dumped

PROVISIONING = "/etc/grafana/provisioning"
"""Where Grafana's packages and its container image look for files to begin with."""


class Grafana(str, Enum):
    """How the dashboards get into Grafana."""

    PROVISIONING = "provisioning"
    """From files that Grafana reads when it starts."""
    JSON = "json"
    """By import, in the browser or through the API."""


class Alerting(str, Enum):
    """Who evaluates the alerts."""

    PROMETHEUS = "prometheus"
    """Prometheus, Mimir or vmalert, from a rules file."""
    GRAFANA = "grafana"
    """Grafana itself, from a provisioning file."""
    KUBERNETES = "kubernetes"
    """Prometheus, by way of its operator."""


def files(setup: SetUp, grafana: Grafana = Grafana.JSON, alerting: Alerting = Alerting.PROMETHEUS) -> Mapping[str, str]:
    """The files of a pack: their paths within it, and their texts."""
    return {**_dashboards(setup, grafana), **_alerts(setup, alerting), f"alerts/{RUNBOOK}": runbook()}


def _dashboards(setup: SetUp, grafana: Grafana) -> dict[str, str]:
    provisioned = grafana is Grafana.PROVISIONING
    folder = "provisioning/dashboards/loopwatch" if provisioned else "dashboards"
    made = {f"{folder}/{board.file}": board.rendered() for board in dashboards(setup)}
    return {**made, "provisioning/dashboards/loopwatch.yaml": _provider()} if provisioned else made


def _provider() -> str:
    provider = {
        "name": "loopwatch",
        "type": "file",
        "folder": "Loopwatch",
        "allowUiUpdates": False,
        "options": {"path": f"{PROVISIONING}/dashboards/loopwatch"},
    }
    return dumped({"apiVersion": 1, "providers": [provider]}, f"Copy the folder provisioning to {PROVISIONING}.")


def _alerts(setup: SetUp, alerting: Alerting) -> dict[str, str]:
    if alerting is Alerting.GRAFANA:
        return {"provisioning/alerting/loopwatch.yaml": grafana_alerts(setup)}
    if alerting is Alerting.KUBERNETES:
        return {"alerts/loopwatch-prometheusrule.yaml": kubernetes(setup)}
    return {"alerts/loopwatch.yaml": prometheus(setup)}


def runbook() -> str:
    """What to do about each alert."""
    return resources.files(__package__).joinpath(RUNBOOK).read_text(encoding="utf-8")
