"""Dashboards and alerts: in step with the catalogue, valid, and tested by promtool where it is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from scripts import ROOT, script

from otel_loopwatch.telemetry import names

build = script("dashboards/build.py")
RULES = [
    rule
    for group in yaml.safe_load((ROOT / "alerts/loopwatch.yaml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
RULE_TESTS = yaml.safe_load((ROOT / "alerts/loopwatch_test.yaml").read_text(encoding="utf-8"))["tests"]
PANELS = json.loads(build.OVERVIEW.read_text(encoding="utf-8"))["panels"]
EXPRESSIONS = [rule["expr"] for rule in RULES] + [t["expr"] for panel in PANELS for t in panel["targets"]]
KNOWN_SERIES = {build.series(metric): metric for metric in names.METRICS}
OUTSIDE_LABELS = {"job"}


def test_dashboard_is_what_the_catalogue_makes_of_it() -> None:
    """The committed file is the built one, so no panel names a metric that is gone."""
    assert build.main(["--check"]) == 0


def test_a_dashboard_out_of_step_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The check fails, and says what to do, when the catalogue has moved on."""
    monkeypatch.setattr(build, "rendered", lambda: "{}")
    assert build.main(["--check"]) == 1
    assert "make generate" in capsys.readouterr().err


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_expression_uses_metrics_and_labels_of_the_catalogue(expression: str) -> None:
    """Series exist, and they carry the labels by which they are selected and summed."""
    series = re.findall(r"loopwatch_[a-z_]+(?=[\[{])", expression)
    assert series
    assert set(series) <= set(KNOWN_SERIES)
    carried = [{build.label(a) for a in KNOWN_SERIES[name].attributes} | OUTSIDE_LABELS for name in series]
    used = {label.strip() for by in re.findall(r"by \(([^)]*)\)", expression) for label in by.split(",")}
    assert used <= set.intersection(*carried)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: str(panel["title"]))
def test_every_panel_explains_itself(panel: dict) -> None:  # type: ignore[type-arg]
    """Title, description, unit, the chosen data source, and a place inside the grid."""
    assert panel["title"]
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["datasource"] == build.DATASOURCE
    assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= build.COLUMNS


def test_panels_do_not_overlap() -> None:
    """No two panels share a cell of the grid."""
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in PANELS)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["alert"]))
def test_every_alert_has_severity_summary_and_runbook(rule: dict) -> None:  # type: ignore[type-arg]
    """Whoever is woken knows how urgent it is and where to read on."""
    file, _, anchor = rule["annotations"]["runbook_url"].partition("#")
    headings = {h.lower() for h in re.findall(r"^## (\w+)$", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)}
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert rule["annotations"]["summary"].endswith(".")
    assert anchor in headings
    assert anchor == rule["alert"].lower()


def test_every_alert_has_a_test_in_which_it_fires() -> None:
    """No rule is shipped that was never seen to fire."""
    fired = {case["alertname"] for test in RULE_TESTS for case in test["alert_rule_test"] if case["exp_alerts"]}
    assert fired == {rule["alert"] for rule in RULES}


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed (Debian package prometheus)")
@pytest.mark.parametrize("arguments", [("check", "rules", "loopwatch.yaml"), ("test", "rules", "loopwatch_test.yaml")])
def test_promtool_agrees(arguments: tuple[str, ...]) -> None:
    """Prometheus' own tool accepts the rules and sees them fire and stay silent as written."""
    done = subprocess.run(["promtool", *arguments], cwd=ROOT / "alerts", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed (Debian package prometheus)")
def test_promtool_parses_every_panel(tmp_path: Path) -> None:
    """Each panel's expression is PromQL, once Grafana's variables have values."""
    values = {"$__range": "6h", "$__rate_interval": "5m", "$job": ".+", "$tool": ".+"}
    rules = []
    for number, target in enumerate(t for panel in PANELS for t in panel["targets"]):
        expression = target["expr"]
        for name, value in values.items():
            expression = expression.replace(name, value)
        rules.append({"record": f"panel:{number}", "expr": expression})
    file = tmp_path / "panels.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    done = subprocess.run(["promtool", "check", "rules", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
