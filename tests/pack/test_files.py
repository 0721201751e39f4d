"""The files of a pack, for each way into Grafana and each evaluator of alerts."""

from __future__ import annotations

import json

import pytest
import yaml

from otel_loopwatch.pack.files import PROVISIONING, Alerting, Grafana, files
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.setup import SetUp

BOARDS = [f"loopwatch-{name}.json" for name in ("overview", "tool", "health", "traces")]
DASHBOARDS = {
    Grafana.JSON: {f"dashboards/{board}" for board in BOARDS},
    Grafana.PROVISIONING: {
        "provisioning/dashboards/loopwatch.yaml",
        *(f"provisioning/dashboards/loopwatch/{board}" for board in BOARDS),
    },
}
ALERTS = {
    Alerting.PROMETHEUS: {"alerts/loopwatch.yaml"},
    Alerting.GRAFANA: {"provisioning/alerting/loopwatch.yaml"},
    Alerting.KUBERNETES: {"alerts/loopwatch-prometheusrule.yaml"},
}


@pytest.mark.parametrize("grafana", Grafana)
@pytest.mark.parametrize("alerting", Alerting)
def test_a_pack_has_the_files_of_its_kind(grafana: Grafana, alerting: Alerting) -> None:
    """And the runbook; JSON and YAML that can be read, and that say where they come from."""
    made = files(SetUp(), grafana, alerting)
    assert made.keys() == {*DASHBOARDS[grafana], *ALERTS[alerting], "alerts/runbook.md"}
    for path, text in made.items():
        if path.endswith(".json"):
            assert json.loads(text)["uid"] in path
        elif path.endswith(".yaml"):
            assert yaml.safe_load(text)
            assert "Made by otel-loopwatch pack" in text


def test_grafana_finds_the_dashboards_that_it_is_told_of() -> None:
    """The provider's path is the folder of the files, once the pack's folder is copied to Grafana's."""
    made = files(SetUp(), Grafana.PROVISIONING)
    (provider,) = yaml.safe_load(made["provisioning/dashboards/loopwatch.yaml"])["providers"]
    below = provider["options"]["path"].removeprefix(PROVISIONING)
    assert {path for path in made if path.startswith(f"provisioning{below}/")} == {
        path for path in made if path.endswith(".json")
    }


def test_expressions_stand_in_blocks() -> None:
    """As they are written, line by line, and templates in one line: so that a change is seen in a review."""
    rules = files(SetUp())["alerts/loopwatch.yaml"]
    assert "    expr: |-\n      sum by (job, gen_ai_tool_name, loopwatch_run_stop_reason)" in rules
    assert not [line for line in rules.splitlines() if line.count("{{") != line.count("}}")]
    assert "&id" not in files(SetUp(), alerting=Alerting.GRAFANA)["provisioning/alerting/loopwatch.yaml"]


@pytest.mark.parametrize("alerting", Alerting)
def test_addresses_are_the_set_up_s(alerting: Alerting) -> None:
    """Every alert leads to the published runbook and to the dashboard in that Grafana."""
    setup = SetUp(runbook_url="https://wiki.example/loopwatch", grafana_url="https://grafana.example/")
    (path,) = ALERTS[alerting]
    text = files(setup, alerting=alerting)[path]
    assert text.count("runbook_url: https://wiki.example/loopwatch#loopwatch") == text.count("runbook_url")
    assert text.count("dashboard_url: https://grafana.example/d/loopwatch-") == text.count("dashboard_url")


@pytest.mark.parametrize("alerting", Alerting)
def test_dotted_names_are_dotted_everywhere(alerting: Alerting) -> None:
    """No translated name of a metric is left, but for series that our own rules record."""
    made = files(SetUp(naming=Naming.DOTS), alerting=alerting)
    for path, text in made.items():
        if not path.endswith(".md"):
            assert "loopwatch_tool_calls_total" not in text
            assert "gen_ai_tool_name" not in text, path
