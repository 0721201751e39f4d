"""The pack as a monitoring mixin: the roots that its tools look for give what our files hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from scripts import ROOT

jsonnet = pytest.importorskip("_jsonnet", reason="jsonnet is not installed")
Json = dict[str, Any]


def mixed(wrapped: str) -> Json:
    """The hidden roots of the mixin, shown; ``wrapped`` is Jsonnet around it."""
    roots = "{dashboards: m.grafanaDashboards, alerts: m.prometheusAlerts, rules: m.prometheusRules}"
    shown: Json = json.loads(jsonnet.evaluate_snippet(str(ROOT / "all"), f"local m = {wrapped}; {roots}"))
    return shown


MIXIN = mixed("import 'mixin.libsonnet'")
GROUPS = yaml.safe_load((ROOT / "alerts/loopwatch.yaml").read_text(encoding="utf-8"))["groups"]


def test_the_mixin_has_every_dashboard() -> None:
    """Each under the name of its file, with nothing changed."""
    files = (ROOT / "dashboards").glob("loopwatch-*.json")
    assert MIXIN["dashboards"] == {file.name: json.loads(file.read_text(encoding="utf-8")) for file in files}


def test_the_mixin_parts_alerts_from_recording_rules() -> None:
    """A group with an alert is under alerts, any other under rules, and none is lost."""
    assert MIXIN["alerts"]["groups"] == [group for group in GROUPS if any("alert" in rule for rule in group["rules"])]
    assert MIXIN["rules"]["groups"] == [group for group in GROUPS if all("record" in rule for rule in group["rules"])]
    assert len(MIXIN["alerts"]["groups"]) + len(MIXIN["rules"]["groups"]) == len(GROUPS)


def test_the_mixin_can_be_added_to_another() -> None:
    """Its roots extend those that stand before it."""
    other = "{grafanaDashboards+:: {'a.json': {}}, prometheusAlerts+:: {groups+: [{name: 'a'}]}}"
    both = mixed(f"{other} + import 'mixin.libsonnet'")
    assert set(both["dashboards"]) == {"a.json", *MIXIN["dashboards"]}
    assert both["alerts"]["groups"] == [{"name": "a"}, *MIXIN["alerts"]["groups"]]
