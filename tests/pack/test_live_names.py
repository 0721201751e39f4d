"""Metrics and labels that the pack names are there in what real jobs export, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import promql_parser
import pytest
import yaml
from live import DASHBOARDS, RULES
from live.hour import Stretch
from live.queries import annotation_queries, panel_queries, read, substituted
from promql_parser import AggregateExpr, BinaryExpr, Expr, VectorSelector
from scripts import ROOT

from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.names import Metric

Exported = Mapping[str, set[str]]
"""Labels by series."""
PARTS = ("", "bucket", "count", "sum")
BOARDS = read(DASHBOARDS)
GROUPS = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
RULE_EXPRESSIONS = [rule["expr"] for group in GROUPS for rule in group["rules"]]
QUERIES = [query for board in BOARDS for query in (*panel_queries(board), *annotation_queries(board))]
EXPRESSIONS = RULE_EXPRESSIONS + [
    substituted(query.expr, {"job": ".+", "tool": "search_policy"}, 60, 3600) for query in QUERIES
]
DOCUMENTS = ("README.md", "alerts/README.md", "alerts/runbook.md", "dashboards/README.md")
OF_PROMETHEUS = {"ALERTS": {"alertname", "alertstate", "job"}}
"""Series that Prometheus makes by itself."""
NOT_EXPORTED = {"otel_metric_overflow": "the SDK writes it from 2000 series of one metric on"}
"""Labels that no job of the stretch has, and why."""
UNUSED: dict[Metric, str] = {}
"""Metrics on no dashboard and in no rule, and why."""
NO_METRIC = {"loopwatch_test": "a file", "loopwatch_export_loops": "a sampler"}
"""What looks like a series in the documents, and is something else."""


@pytest.fixture(scope="module")
def exported(stretch: Stretch) -> Exported:
    """Series of the stretch, those that the recording rules make, and Prometheus' own; with the labels of a scrape."""
    found: dict[str, set[str]] = dict(OF_PROMETHEUS)
    for job in stretch.jobs:
        for name, labels, _ in job.samples():
            found.setdefault(name, {"job", "instance"}).update(re.findall(r'(\w+)="', labels))
    rules = (rule for group in GROUPS for rule in group["rules"] if "record" in rule)
    return {**found, **{rule["record"]: set(summed_by(promql_parser.parse(rule["expr"]))) for rule in rules}}


def within(tree: Expr) -> list[Expr]:
    """Every part of an expression."""
    found: list[Expr] = []
    promql_parser.walk(tree, found.append, lambda _: None)
    return found


def selectors(tree: Expr) -> Iterator[tuple[str, set[str]]]:
    """The series that an expression selects, and the labels by which it does."""
    for node in within(tree):
        if isinstance(node, VectorSelector):
            yield node.name, {matcher.name for matcher in node.matchers.matchers}


def summed_by(tree: Expr) -> Iterator[str]:
    """Labels that an expression keeps."""
    for node in within(tree):
        if isinstance(node, AggregateExpr) and node.modifier is not None:
            yield from node.modifier.labels
        elif isinstance(node, BinaryExpr) and node.modifier is not None and node.modifier.matching is not None:
            yield from node.modifier.matching.labels


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_series_and_label_of_an_expression_is_exported(exported: Exported, expression: str) -> None:
    """What a panel or a rule selects is there, with the labels by which it selects and sums."""
    tree = promql_parser.parse(expression)
    selected = list(selectors(tree))
    assert {name for name, _ in selected} <= exported.keys()
    assert [(name, by) for name, by in selected if not by <= exported[name] | NOT_EXPORTED.keys()] == []
    assert set(summed_by(tree)) - {"le"} <= set().union(*(exported[name] for name, _ in selected))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_series_and_label_of_a_document_is_exported(exported: Exported, document: str) -> None:
    """What somebody is told to look for can be found."""
    told = set(re.findall(r"\b(?:loopwatch|gen_ai)_[a-z_]+\b", (ROOT / document).read_text(encoding="utf-8")))
    assert told - NO_METRIC.keys() <= set(exported).union(*exported.values())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_name_of_a_document_is_in_the_catalogue(document: str) -> None:
    """Attributes and metrics, as OpenTelemetry calls them."""
    told = set(re.findall(r"\bloopwatch\.[a-z_]+\.[a-z_.]*[a-z]", (ROOT / document).read_text(encoding="utf-8")))
    assert told <= {entry.name for entry in (*names.ATTRIBUTES, *names.METRICS)}


@pytest.mark.parametrize("metric", names.METRICS, ids=lambda metric: str(metric.name))
def test_every_metric_is_looked_at(metric: Metric) -> None:
    """On a dashboard or in a rule, or it is said why not."""
    series = {Naming.UNDERSCORES.series(metric, part) for part in PARTS}
    used = any(name in series for expression in EXPRESSIONS for name, _ in selectors(promql_parser.parse(expression)))
    assert used != (metric in UNUSED)


@pytest.mark.parametrize("metric", names.METRICS, ids=lambda metric: str(metric.name))
def test_every_metric_counts_something_in_the_stretch(stretch: Stretch, metric: Metric) -> None:
    """So that no panel is tried on zeros alone."""
    series = {Naming.UNDERSCORES.series(metric, part) for part in PARTS}
    assert any(value for job in stretch.jobs for name, _, value in job.samples() if name in series)
