"""The alerts that Grafana evaluates itself: ids it takes, conditions that lead somewhere, nothing that it lacks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import promtool as tool
import pytest
import yaml

from otel_loopwatch.pack.grafana_alerts import EXPRESSIONS, grafana_alerts
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.recording import LEVEL
from otel_loopwatch.pack.setup import SetUp

Json = dict[str, Any]
MAX_UID_CHARS = 40


def rules_of(setup: SetUp) -> list[Json]:
    """All alerts of the file for a set-up."""
    return [rule for group in yaml.safe_load(grafana_alerts(setup))["groups"] for rule in group["rules"]]


RULES = rules_of(SetUp(datasource="mimir"))
of_every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["title"]))


def asked(rule: Json) -> list[Json]:
    """The queries of an alert that are for a data source."""
    return [query for query in rule["data"] if query["datasourceUid"] != EXPRESSIONS]


def test_uids_and_titles_are_unique() -> None:
    """Grafana refuses a file otherwise, or a uid that is too long or has other characters."""
    for key in ("uid", "title"):
        assert len({rule[key] for rule in RULES}) == len(RULES)
    assert all(re.fullmatch(rf"[a-z0-9-]{{1,{MAX_UID_CHARS}}}", rule["uid"]) for rule in RULES)


def test_groups_are_evaluated_in_a_folder() -> None:
    """Grafana wants each group's organisation, folder and interval."""
    groups = yaml.safe_load(grafana_alerts(SetUp()))["groups"]
    assert {(group["orgId"], group["folder"], group["interval"]) for group in groups} == {(1, "Loopwatch", "1m")}
    assert len({group["name"] for group in groups}) == len(groups)


@of_every_rule
def test_the_condition_rests_on_what_was_asked(rule: Json) -> None:
    """It and what it refers to are there, and each query knows its own name."""
    queries = {query["refId"]: query for query in rule["data"]}
    condition = queries[rule["condition"]]["model"]
    assert condition["expression"] in queries
    assert condition["conditions"][0]["query"]["params"] == [condition["expression"]]
    assert {query["model"]["refId"] for query in rule["data"]} == set(queries)


@of_every_rule
def test_the_data_source_is_the_chosen_one(rule: Json) -> None:
    """And the condition is Grafana's own."""
    assert [query["datasourceUid"] for query in rule["data"]] == ["mimir", EXPRESSIONS]


@of_every_rule
def test_nothing_recorded_is_asked_for(rule: Json) -> None:
    """Grafana has no recording rules of ours."""
    assert [query["model"]["expr"] for query in asked(rule) if f"{LEVEL}:" in query["model"]["expr"]] == []


@of_every_rule
def test_templates_speak_grafana(rule: Json) -> None:
    """A bare value would be all values of an alert in one text, and a dollar with a brace a variable of the file."""
    texts = " ".join(rule["annotations"].values())
    assert not re.search(r"\$value\b|\$\{", texts)
    assert set(re.findall(r"\$values\.(\w+)\.Value", texts)) <= {query["refId"] for query in asked(rule)}


@of_every_rule
def test_silence_is_well_and_a_failed_query_is_not(rule: Json) -> None:
    """An expression that compares gives nothing when all is well."""
    assert (rule["noDataState"], rule["execErrState"]) == ("OK", "Error")


def as_recordings(rules: list[Json]) -> Json:
    """Expressions in the form in which promtool reads them."""
    expressions = [query["model"]["expr"] for rule in rules for query in asked(rule)]
    recordings = [{"record": f"asked:{number}", "expr": expr} for number, expr in enumerate(expressions)]
    return {"groups": [{"name": "asked", "rules": recordings}]}


@tool.with_each
@pytest.mark.parametrize("setup", [SetUp(), SetUp(jobs=("a", "b-c"), chat_only="chat.*", budget=0.05)])
def test_every_expression_is_promql(promtool: str, setup: SetUp, tmp_path: Path) -> None:
    """The shares of the burn alerts included, which are worked out in full."""
    tool.accept_rules(promtool, as_recordings(rules_of(setup)), tmp_path)


@tool.with_3
def test_every_expression_with_dotted_names_is_promql(promtool: str, tmp_path: Path) -> None:
    """Quoted, as Prometheus 3 wants them."""
    tool.accept_rules(promtool, as_recordings(rules_of(SetUp(naming=Naming.DOTS))), tmp_path)
