"""Every query of the dashboards, put to a real Prometheus that has seen everything: none of them comes back empty."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import isfinite
from typing import Any

import pytest
import yaml
from live import DASHBOARDS, RULES, api
from live.hour import SUPPORT, Stretch
from live.queries import (
    SCRAPE_S,
    Query,
    annotation_queries,
    panel_queries,
    read,
    series_and_label,
    substituted,
    variable_queries,
)

from otel_loopwatch.pack.windows import seconds

STEP_S = 60
BOARDS = read(DASHBOARDS)
CHOSEN = {"tool": "search_policy"}
"""What is chosen in a drop-down that takes one value; in the others, everything."""
ALERTS = [
    rule
    for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
    if "alert" in rule
]
QUIET = {
    "LoopwatchToolLoopBudgetBurn 3d": "it has to last for three hours, and all that is played is two",
    "LoopwatchMetricsAbsent": "something is heard of the jobs all the time",
}
"""Alerts that do not come up, with their long window, and why."""
NOTHING: dict[str, str] = {}
"""Queries that come back empty or all 0, by title and letter, and why."""


def chosen(board: dict[str, Any]) -> dict[str, str]:
    """Values of a dashboard's variables."""
    variables = board["templating"]["list"]
    return {v["name"]: v["allValue"] if v.get("includeAll") else CHOSEN.get(v["name"], "") for v in variables}


def cases(queries: Callable[[dict[str, Any]], Iterator[Query]]) -> list[Any]:
    """Each query of each dashboard for Prometheus, with the dashboard."""
    found = [(board, query) for board in BOARDS for query in queries(board)]
    return [pytest.param(*case, id=f"{case[0]['uid']} {n} {case[1].where}") for n, case in enumerate(found)]


def answered(url: str, stretch: Stretch, board: dict[str, Any], query: Query) -> list[dict[str, Any]]:
    """What Prometheus answers, as Grafana asks it."""
    now = time.time()
    expr = substituted(query.expr, chosen(board), STEP_S, now - stretch.start_s)
    return api.instant(url, expr, now) if query.instant else api.over(url, expr, stretch.start_s, now, STEP_S)


def says_something(series: dict[str, Any]) -> bool:
    """Whether any value of an answer is a number that is not 0."""
    values = (float(text) for _, text in series.get("values", [series.get("value")]))
    return any(isfinite(value) and value for value in values)


@pytest.mark.parametrize(("board", "query"), cases(panel_queries))
def test_every_panel_has_something_to_show(url: str, stretch: Stretch, board: dict[str, Any], query: Query) -> None:
    """The stretch has everything in it that a panel may be about."""
    found = any(map(says_something, answered(url, stretch, board, query)))
    assert found != (query.where in NOTHING)


@pytest.mark.parametrize(("board", "query"), cases(annotation_queries))
def test_every_annotation_marks_something(url: str, stretch: Stretch, board: dict[str, Any], query: Query) -> None:
    """Runs were halted."""
    assert answered(url, stretch, board, query)


@pytest.mark.parametrize(("board", "query"), cases(variable_queries))
def test_every_drop_down_has_something_to_choose(
    url: str, stretch: Stretch, board: dict[str, Any], query: Query
) -> None:
    """The jobs, and their tools."""
    series, label = series_and_label(substituted(query.expr, chosen(board), STEP_S, 0))
    values = api.label_values(url, series, label, stretch.start_s, time.time())
    assert {"job": SUPPORT, "tool": CHOSEN["tool"]}[query.where] in values


def named(rule: dict[str, Any]) -> str:
    """An alert's name, and its long window where it has one."""
    return f"{rule['alert']} {rule['labels'].get('long', '')}".strip()


@pytest.mark.parametrize("rule", ALERTS, ids=named)
def test_every_alert_comes_up_in_the_stretch(url: str, stretch: Stretch, rule: dict[str, Any]) -> None:
    """For as long as it has to last before it fires."""
    lasting_s = seconds(rule.get("for", "0m"))
    found = api.over(url, rule["expr"], stretch.start_s, stretch.end_s, SCRAPE_S)
    fires = any(longest(series) >= lasting_s for series in found)
    assert fires != (named(rule) in QUIET)


def longest(series: dict[str, Any]) -> float:
    """Seconds for which a series was there without a gap."""
    times = [at_s for at_s, _ in series["values"]]
    longest_s, since_s = 0.0, times[0]
    for before_s, at_s in pairwise(times):
        since_s = since_s if at_s - before_s <= SCRAPE_S else at_s
        longest_s = max(longest_s, at_s - since_s)
    return longest_s


def test_a_variable_that_is_not_there_is_told() -> None:
    """A misspelt one would reach Prometheus as it stands."""
    with pytest.raises(KeyError, match="jobs"):
        substituted('up{job=~"$jobs"}', {"job": "a"}, 60, 3600)


@pytest.mark.parametrize(
    ("expr", "replaced"),
    [
        ("rate(a[$__rate_interval])", "rate(a[120s])"),
        ("increase(a[$__range])", "increase(a[3600s])"),
        ("a[$__interval]", "a[60s]"),
        ("a * ${__range_s} / $__interval_ms", "a * 3600 / 60000"),
        ('a{job=~"${job:regex}", tool="$tool"}', 'a{job=~".+", tool="b"}'),
    ],
)
def test_variables_are_replaced_as_grafana_does_it(expr: str, replaced: str) -> None:
    """Built-in ones follow from the times; a rate is taken over four scrapes at least."""
    assert substituted(expr, {"job": ".+", "tool": "b"}, 60, 3600) == replaced


def test_a_drop_down_of_another_form_is_told() -> None:
    """It could not be asked for here."""
    with pytest.raises(ValueError, match="label_values"):
        series_and_label("label_names()")
