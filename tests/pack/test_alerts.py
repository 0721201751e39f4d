"""The alerts: what each tells, that three evaluators are given the same, and that promtool takes every form of them."""

from __future__ import annotations

import re
from pathlib import Path

import promtool as tool
import pytest
from alerting import ALERTS, FOLDER, RECORDED, Json, called, of_file, rules

from otel_loopwatch.pack.files import runbook
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.recording import BY, LEVEL
from otel_loopwatch.pack.rules import groups
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import WINDOWS, Severity

GRAFANA = rules(of_file("loopwatch-grafana.yaml"))
PARTS = ["Meaning", "Impact", "First look", "Fix", "When it is wrong"]
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", runbook(), re.MULTILINE | re.DOTALL))
of_every_alert = pytest.mark.parametrize("rule", ALERTS, ids=called)


@of_every_alert
def test_an_alert_says_how_urgent_it_is_and_what_is_the_matter(rule: Json) -> None:
    """A known severity, a summary that is the same for all series, and a description that names the one concerned."""
    told = rule["annotations"]
    names_a_service = "var-job" in told["dashboard_url"]
    assert rule["labels"]["severity"] in {severity.value for severity in Severity}
    assert re.fullmatch(r"[A-Z][^.{}]*\.", told["summary"])
    assert ("{{ $labels.job }}" in told["description"]) == names_a_service
    assert told["description"].endswith(".")


@of_every_alert
def test_an_alert_has_a_section_in_the_runbook(rule: Json) -> None:
    """Found by the name in lower case, with all its parts in their order."""
    anchor = rule["annotations"]["runbook_url"].partition("#")[2]
    assert anchor == rule["alert"].lower()
    assert re.findall(r"^\*\*([\w ]+)\.\*\*", SECTIONS[rule["alert"]], re.MULTILINE) == PARTS


def test_the_runbook_is_about_nothing_else() -> None:
    """No section of an alert that is gone, and the committed copy is the package's."""
    assert list(SECTIONS) == list(dict.fromkeys(rule["alert"] for rule in ALERTS))
    assert (FOLDER / "runbook.md").read_text(encoding="utf-8") == runbook()


def test_every_pair_of_windows_alerts() -> None:
    """Each with its urgency and its time."""
    pairs = [(r["labels"]["long"], r["labels"]["short"], r["labels"]["severity"], r["for"]) for r in ALERTS[:4]]
    assert pairs == [(w.long, w.short, w.severity.value, w.wait) for w in WINDOWS]


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: str(rule["record"]))
def test_recorded_series_are_named_by_level_metric_and_operations(rule: Json) -> None:
    """As Prometheus' documentation asks for, and the level is what they are summed by."""
    assert re.fullmatch(rf"{LEVEL}:[a-z_]+:(ratio_rate|increase)\d+[mhd]", rule["record"])
    assert set(re.findall(r"sum by \(([^)]*)\)", rule["expr"])) == {", ".join(map(Naming.UNDERSCORES.label, BY))}


def test_recorded_series_are_used() -> None:
    """Each in an alert."""
    asked = " ".join(rule["expr"] for rule in ALERTS)
    assert [rule["record"] for rule in RECORDED if rule["record"] not in asked] == []


def test_the_operator_is_given_the_same_rules() -> None:
    """The resource holds what the rules file holds."""
    assert of_file("loopwatch-prometheusrule.yaml")["spec"] == of_file("loopwatch.yaml")


def test_grafana_is_given_the_same_alerts() -> None:
    """The same names, labels, times and texts, in the same order."""
    ours = [
        (called(r), r["labels"], r.get("for", "0s"), r.get("keep_firing_for"), r["annotations"]["runbook_url"])
        for r in ALERTS
    ]
    theirs = [
        (called({**r, "alert": r["title"].split()[0]}), r["labels"], r["for"], r.get("keepFiringFor"),
         r["annotations"]["runbook_url"]) for r in GRAFANA
    ]  # fmt: skip
    assert theirs == ours
    for one, other in zip(GRAFANA, ALERTS, strict=True):
        texts = {key: text.replace("$values.A.Value", "$value") for key, text in one["annotations"].items()}
        assert texts == other["annotations"]


def test_dotted_names_are_given_the_same_alerts() -> None:
    """With labels that a template can reach only by index."""
    dotted = [rule for rule in rules(of_file("otlp/loopwatch.yaml")) if "alert" in rule]
    assert [(r["alert"], r["labels"]) for r in dotted] == [(r["alert"], r["labels"]) for r in ALERTS]
    assert not [r["alert"] for r in dotted if re.search(r"\$labels\.\w+[._]", str(r["annotations"]))]


@tool.with_each
@pytest.mark.parametrize(
    "content",
    [
        of_file("loopwatch.yaml"),
        of_file("loopwatch-prometheusrule.yaml")["spec"],
        groups(SetUp(budget=0.05)),
        groups(SetUp(jobs=("support agent", "billing.agent-2|b"), chat_only=r"chat(bot)?\d+\.eu|help")),
    ],
    ids=["default", "operator", "budget", "jobs"],
)
def test_promtool_takes_the_rules(promtool: str, content: Json, tmp_path: Path) -> None:
    """As committed, and made for set-ups with names and patterns that need escapes."""
    tool.accept_rules(promtool, content, tmp_path)


@tool.with_3
@pytest.mark.parametrize(
    "setup", [SetUp(naming=Naming.DOTS), SetUp(naming=Naming.DOTS, jobs=("a-b",), chat_only=r"\w")]
)
def test_promtool_takes_dotted_names(promtool: str, setup: SetUp, tmp_path: Path) -> None:
    """Quoted, as Prometheus 3 wants them."""
    tool.accept_rules(promtool, groups(setup), tmp_path)


@tool.with_3
def test_promtool_takes_the_committed_file_with_dotted_names(promtool: str) -> None:
    """The very file."""
    tool.accept(promtool, "check", "rules", "--lint-fatal", str(FOLDER / "otlp/loopwatch.yaml"))
