"""The dashboards keep the rules of Grafana's dashboard-linter, and the rules see what breaks them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from linting import LEFT_OUT, RULES, Board, Exclusion, Finding, applied, read
from linting.promql import parsed, selectors
from scripts import script

lint = script("dashboards/lint.py")
Json = dict[str, Any]
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
LOKI = {"type": "loki", "uid": "${loki_datasource}"}
CHOSEN = 'job=~"$job",instance=~"$instance"'


def a_variable(name: str, **others: Any) -> Json:
    """A variable that keeps every rule."""
    kept = {"type": "query", "label": name.title(), "multi": True, "allValue": ".+", "refresh": 2, "datasource": SOURCE}
    return {"name": name, "query": f"label_values(up, {name})", **kept, **others}


def a_panel(expr: str = f"sum(rate(calls_total{{{CHOSEN}}}[$__rate_interval]))", **others: Any) -> Json:
    """A panel that keeps every rule."""
    told = {"title": "Calls", "description": "Calls a second.", "fieldConfig": {"defaults": {"unit": "cps"}}}
    target = {"refId": "A", "datasource": SOURCE, "expr": expr}
    return {"id": 1, "type": "timeseries", "datasource": SOURCE, "targets": [target], **told, **others}


def a_board(*panels: Json, **others: Any) -> Json:
    """A dashboard that keeps every rule, unless a panel or what else is given breaks one."""
    source = {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}
    templating = {"list": [source, a_variable("job"), a_variable("instance")]}
    kept = {"title": "Board", "editable": False, "templating": templating, "panels": [a_panel(), *panels]}
    return {**kept, **others}


def with_variable(name: str, /, **changed: Any) -> Json:
    """A dashboard with one variable changed, or added."""
    board = a_board()
    variables = {variable["name"]: variable for variable in board["templating"]["list"]}
    variables[name] = {**variables.get(name, a_variable(name)), **changed}
    board["templating"]["list"] = list(variables.values())
    return board


def without_variable(name: str) -> Json:
    """A dashboard that lacks a variable."""
    board = a_board()
    board["templating"]["list"] = [v for v in board["templating"]["list"] if v["name"] != name]
    return board


def asking(expr: str, **target: Any) -> Json:
    """A dashboard with a panel for one more query."""
    panel = a_panel(expr, id=2)
    panel["targets"][0] |= target
    return a_board(panel)


def measured_in(**config: Any) -> Json:
    """A dashboard with a panel of these field options."""
    return a_board(a_panel(id=2, fieldConfig=config))


def reading_logs(expr: str) -> Json:
    """A dashboard that asks Loki, too."""
    board = asking(expr, datasource=LOKI)
    variables = board["templating"]["list"]
    names = {"name": "prometheus_datasource", "label": "Prometheus data source"}
    loki = {"name": "loki_datasource", "label": "Loki data source", "type": "datasource", "query": "loki"}
    board["templating"]["list"] = [{**variables[0], **names}, loki, *variables[1:]]
    return board


SPEC = {
    "annotations": [],
    "cursorSync": "Off",
    "links": [],
    "preload": False,
    "tags": [],
    "timeSettings": {},
    "title": "Board",
    "variables": [],
    "elements": {"panel-1": {}},
    "layout": {"spec": {"items": [{"spec": {"element": {"kind": "ElementReference", "name": "panel-1"}}}]}},
}


def in_v2(**changed: Any) -> Json:
    """A dashboard in the v2 schema."""
    return {"apiVersion": "dashboard.grafana.app/v2beta1", "spec": {**SPEC, **changed}}


def unit_of(value: object) -> Json:
    """An override of the unit."""
    return {"matcher": {"id": "byName", "options": "Share"}, "properties": [{"id": "unit", "value": value}]}


TO_TEXT = {"id": "mappings", "value": [{"type": "value", "options": {"1": {"text": "yes"}}}]}
OF_RULE = [rule.name for rule in RULES]
UNUSED = with_variable("tool")
USED = {**UNUSED, "panels": [a_panel(f'calls{{{CHOSEN},tool=~"${{tool:regex}}"}}')]}
FIRST_FIELD = {"reduceOptions": {"fields": "/.*/"}}
# For each rule, what is wrong: a dashboard that breaks the rule so, and one that comes near and keeps it.
CASES: dict[str, dict[str, tuple[Json, Json]]] = {
    "template-datasource-rule": {
        "no variable": (without_variable("datasource"), a_board()),
        "name": (with_variable("datasource", name="source"), reading_logs('{app="a"}')),
        "label": (with_variable("datasource", label="It"), with_variable("datasource", label="Prometheus data source")),
    },
    "template-job-rule": {
        "no variable": (without_variable("job"), a_board()),
        "one only": (with_variable("job", multi=False), with_variable("other", multi=False)),
        "all": (with_variable("job", allValue=".*"), with_variable("other", allValue=".*")),
        "type": (with_variable("job", type="custom"), with_variable("other", type="custom")),
        "label": (with_variable("job", label="Jobs"), with_variable("other", label="Others")),
        "source": (with_variable("job", datasource="mimir"), with_variable("job", datasource="$datasource")),
    },
    "template-instance-rule": {
        "no variable": (without_variable("instance"), with_variable("datasource", query="loki")),
    },
    "template-label-promql-rule": {
        "no PromQL": (
            with_variable("job", query="label_values(up{, job)"),
            with_variable("job", query={"query": 'label_values(up{job!=""}, job)', "refId": "A"}),
        ),
        "no function": (with_variable("job", query="labels(up, job)"), with_variable("job", query="label_values(job)")),
        "no series": (
            with_variable("job", query="query_result(rate(up))"),
            with_variable("job", query="query_result(rate(up[$__range]))"),
        ),
    },
    "template-on-time-change-reload-rule": {
        "once": (with_variable("job", refresh=1), with_variable("datasource", refresh=1)),
    },
    "template-unused-rule": {
        "no target": (UNUSED, USED),
        "longer name": (with_variable("jobs"), with_variable("jobs", type="custom")),
    },
    "panel-datasource-rule": {
        "panel": (a_board(a_panel(datasource={"uid": "grafana-prom"})), a_board(a_panel(type="text", datasource=None))),
        "target": (asking("up", datasource="prom"), asking("up", datasource="$datasource")),
    },
    "panel-title-description-rule": {
        "title": (a_board(a_panel(title="")), a_board(a_panel(title="", type="row"))),
        "description": (a_board(a_panel(description="")), a_board(a_panel(description="", type="text"))),
    },
    "panel-units-rule": {
        "no unit": (measured_in(defaults={}), measured_in(defaults={"mappings": [TO_TEXT]})),
        "unknown": (measured_in(defaults={"unit": "calls"}), measured_in(defaults={"unit": "none"})),
        "override": (measured_in(overrides=[unit_of("share")]), measured_in(overrides=[unit_of("percentunit")])),
        "no mapping": (measured_in(overrides=[]), measured_in(overrides=[{"properties": [TO_TEXT]}])),
        "numbers": (
            a_board(a_panel(type="stat", fieldConfig={})),
            a_board(a_panel(type="stat", fieldConfig={}, options=FIRST_FIELD)),
        ),
    },
    "panel-no-targets-rule": {"none": (a_board(a_panel(targets=[])), a_board({"type": "row", "title": "Row"}))},
    "target-logql-rule": {"no parser": (reading_logs('{app="a"} |='), a_board())},
    "target-logql-auto-rule": {
        "fixed": (reading_logs('rate({app="a"} [5m])'), reading_logs('rate({app="a"} |~ "[0-9]" [$__auto])')),
    },
    "target-promql-rule": {
        "no PromQL": (asking("sum(rate(x))"), asking("last_over_time(x[$__range])")),
        "empty": (asking(""), asking("", panelId=1)),
        "no such panel": (asking("", panelId=7), asking("nothing like PromQL", datasource=LOKI)),
    },
    "target-rate-interval-rule": {
        "fixed": (asking("rate(x[5m])"), asking("increase(x[5m])")),
        "deep": (
            asking("max_over_time(irate(x[1m])[1h:])"),
            asking("max_over_time(irate(x[${__rate_interval}])[1h:])"),
        ),
    },
    "target-job-rule": {
        "no matcher": (asking('x{instance=~"$instance"}'), asking(f"x{{{CHOSEN}}}")),
        "one value": (asking('x{job="$job"}'), asking("""x{job=~'$job',tool='$tool'}""")),
        "quoted": (asking('{"x.y",job=~"$job"} / {"x.z"}'), asking('{"x.y",job=~"$job"} / {"x.z",job=~"$job"}')),
    },
    "target-instance-rule": {"no matcher": (asking('x{job=~"$job"}'), asking(f"x{{{CHOSEN}}}"))},
    "target-counter-agg-rule": {
        "bare": (asking("x_total"), asking("total_x")),
        "quoted": (asking('max_over_time({"x.y_total"}[1h])'), asking('increase({"x.y_total"}[1h])')),
        "no function": (asking("x_total[1h]"), asking("x[1h]")),
    },
    "target-histogram-rule": {
        "no heatmap": (asking("increase(x_bucket[1h])"), asking("increase(x_bucket[1h])", format="heatmap")),
        "no quantile": (
            asking("sum by (le) (increase(x_bucket[1h]))"),
            asking("histogram_quantile(0.9, sum by (le) (increase(x_bucket[1h])))"),
        ),
    },
    "uneditable-dashboard": {"editable": (a_board(editable=True), a_board())},
    "v2-required-fields-rule": {"type": (in_v2(annotations={}), in_v2())},
    "element-reference-rule": {
        "no element": (in_v2(elements={}), in_v2()),
        "nowhere": (in_v2(layout={}), a_board(elements={"panel-1": {}})),
    },
}
ROWS = [(rule, what, *pair) for rule, cases in CASES.items() for what, pair in cases.items()]


@pytest.mark.parametrize(
    ("rule", "breaks", "keeps"),
    [pytest.param(rule, breaks, keeps, id=f"{rule}: {what}") for rule, what, breaks, keeps in ROWS],
)
def test_a_rule_finds_what_breaks_it_and_nothing_else(rule: str, breaks: Json, keeps: Json) -> None:
    """Each rule tells a dashboard that breaks it from one that comes near."""
    assert rule in {finding.rule for finding in lint.found(Board(breaks))}
    assert rule not in {finding.rule for finding in lint.found(Board(keeps))}


def test_every_rule_has_a_case() -> None:
    """No rule is shipped that was never seen to find something; names are unique, and each rule says what it asks."""
    assert sorted(CASES) == sorted(OF_RULE)
    assert not set(OF_RULE) & set(LEFT_OUT)
    assert all(rule.asks.endswith(".") for rule in RULES)


def test_a_good_dashboard_has_no_finding() -> None:
    """The dashboard from which the cases are made keeps every rule."""
    assert lint.found(Board(a_board())) == []


def test_panels_in_a_closed_row_are_linted() -> None:
    """Grafana keeps them inside the row; the finding names panel and target."""
    board = Board(a_board({"type": "row", "title": "More", "panels": [a_panel("x", title="Inside")]}))
    assert [str(finding) for finding in lint.found(board)] == [
        'target-job-rule: Board > Inside > target 0: x is selected without job=~"$job"',
        'target-instance-rule: Board > Inside > target 0: x is selected without instance=~"$instance"',
    ]


def test_selectors_are_read_from_the_tree_of_a_query() -> None:
    """Names in quotes are names; text that only looks like a selector is none."""
    query = 'sum by ("a.b") (rate({"x.y_total", job=~"$job"}[$__rate_interval])) / (z{tool="rate(w[5m])"} * [[scale]])'
    read_from = selectors(parsed(Board(with_variable("scale", current={"value": "2"})), query))
    assert [(s.metric, s.ranger, s.functions) for s in read_from] == [("x.y_total", "rate", ("rate",)), ("z", "", ())]


ONE = Finding("target-job-rule", "Board", "no job", "Calls", 0)
TWO = Finding("target-job-rule", "Board", "no job", "Calls", 1)


@pytest.mark.parametrize(
    ("exclusion", "left"),
    [
        (Exclusion("target-job-rule", "why"), []),
        (Exclusion("target-job-rule", "why", dashboard="Board", panel="Calls"), []),
        (Exclusion("target-job-rule", "why", dashboard="Board", panel="Calls", target=1), [ONE]),
        (Exclusion("target-job-rule", "why", dashboard="Board", panel="Other"), [ONE, TWO]),
        (Exclusion("target-promql-rule", "why"), [ONE, TWO]),
    ],
)
def test_an_exclusion_takes_away_what_it_names(exclusion: Exclusion, left: list[Finding]) -> None:
    """A rule, a panel or one target; what excludes nothing is told."""
    idle = [exclusion] if left == [ONE, TWO] else []
    assert applied([exclusion], [ONE, TWO]) == (left, idle)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"job-rule": {"reason": "why"}}, "'job-rule' is no rule"),
        ({"target-job-rule": None}, "target-job-rule: an exclusion needs a reason"),
        ({"target-job-rule": {"reason": "why", "entries": [{"row": "x"}]}}, "'row' is no part of an entry"),
    ],
)
def test_a_bad_exclusion_is_refused(told: Json, said: str, tmp_path: Path) -> None:
    """The file is read strictly: a slip in it would let findings through."""
    with pytest.raises(ValueError, match=said):
        read(written(tmp_path, {"exclusions": told}))


def test_exclusions_are_read_in_the_form_of_the_original(tmp_path: Path) -> None:
    """Reason for a rule or for an entry; the place of a target is told as ``targetIdx``."""
    entries = [{"dashboard": "Board", "panel": "Calls", "targetIdx": 0}, {"panel": "Other", "reason": "its own"}]
    told = {"target-job-rule": {"reason": "why", "entries": entries}, "uneditable-dashboard": {"reason": "why"}}
    assert read(written(tmp_path, {"exclusions": told})) == [
        Exclusion("target-job-rule", "why", "Board", "Calls", 0),
        Exclusion("target-job-rule", "its own", None, "Other"),
        Exclusion("uneditable-dashboard", "why"),
    ]


def test_the_command_prints_findings_and_idle_exclusions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 for either; 0 when all is well."""
    idle = {"exclusions": {"target-logql-rule": {"reason": "why"}}}
    (tmp_path / "loopwatch-a.json").write_text(json.dumps(a_board(editable=True)), encoding="utf-8")
    assert lint.main([], tmp_path, written(tmp_path, {})) == 1
    assert "uneditable-dashboard: Board" in capsys.readouterr().out
    assert lint.main([], tmp_path, written(tmp_path, idle)) == 1
    assert "excludes nothing" in capsys.readouterr().out
    assert lint.main(["--rules"]) == 0
    assert "target-job-rule: Every selector has" in capsys.readouterr().out


def test_the_dashboards_keep_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Those that are shipped, with the exclusions that are written down."""
    status = lint.main([])
    assert not capsys.readouterr().out
    assert status == 0


def written(folder: Path, told: Json) -> Path:
    """A file of exclusions."""
    file = folder / "lint.yaml"
    file.write_text(yaml.safe_dump(told), encoding="utf-8")
    return file
