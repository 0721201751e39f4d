"""What a pack is made for: bad values are refused by name, good ones show in every expression."""

from __future__ import annotations

import re
from typing import Any

import promql_parser
import pytest
from linting.promql import selectors

from otel_loopwatch.pack.alert import Alert, Board
from otel_loopwatch.pack.alerts import alerts
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.promql import JOB
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import FASTEST, LENGTHS, WINDOWS, Severity, seconds
from otel_loopwatch.telemetry import names


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("budget", 0, "above 0"),
        ("budget", -0.01, "above 0"),
        ("budget", 1 / FASTEST, "below 6.9%"),
        ("budget", 1.0, "below 6.9%"),
        ("budget", float("nan"), "above 0"),
        ("jobs", ("agent", ""), "not be empty"),
        ("jobs", ('a"b',), "quotation marks"),
        ("jobs", ("a\\b",), "backslashes"),
        ("chat_only", "chat(", "be a regular expression"),
        ("chat_only", 'chat"', "not have quotation marks"),
        ("chat_only", "(?!agent).*", "not look around or back"),
        ("chat_only", ".*(?<=chat)", "not look around or back"),
        ("chat_only", r"(a)\1", "not look around or back"),
    ],
)
def test_a_bad_value_is_refused(field: str, value: Any, rule: str) -> None:
    """Field, value and rule are named."""
    bad = value[-1] if isinstance(value, tuple) else value
    with pytest.raises(ValueError, match=f"^{field}: {re.escape(repr(bad))} must .*{rule}"):
        SetUp(**{field: value})


def test_the_largest_budget_leaves_every_alert_something_to_fire_at() -> None:
    """A limit of all calls or more could not be exceeded."""
    assert SetUp(budget=0.069).budget * FASTEST < 1


@pytest.mark.parametrize(
    ("jobs", "chosen"),
    [
        ((), "loopwatch_run_active"),
        (("agent",), 'loopwatch_run_active{job=~"agent"}'),
        (("shop/agent", "batch"), 'loopwatch_run_active{job=~"shop/agent|batch"}'),
        (("a.b", "c|d"), r'loopwatch_run_active{job=~"a\\.b|c\\|d"}'),
    ],
)
def test_services_are_chosen_by_their_very_names(jobs: tuple[str, ...], chosen: str) -> None:
    """What a regular expression would take for a pattern is escaped, and PromQL takes one backslash for two."""
    assert SetUp(jobs=jobs).query.select(names.RUN_ACTIVE) == chosen


def made_for(setup: SetUp, recorded: bool = True) -> dict[str, Alert]:
    """Alerts by name and window."""
    every = [alert for group in alerts(setup, recorded).values() for alert in group]
    return {" ".join([alert.name, alert.labels.get("long", "")]).strip(): alert for alert in every}


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("naming", Naming)
def test_every_expression_is_narrowed_to_the_services(naming: Naming, recorded: bool) -> None:
    """No series of another service is looked at, whoever evaluates."""
    for name, alert in made_for(SetUp(jobs=("agent",), naming=naming), recorded).items():
        found = selectors(promql_parser.parse(alert.expr))
        jobs = [{m.value for m in selector.matchers if m.name == JOB} for selector in found]
        assert jobs, name
        assert all(job == {"agent"} for job in jobs), alert.expr


def test_each_service_that_is_named_is_missed() -> None:
    """One alert for each that is silent, with its name; without names, one for all."""
    named, any_of_all = made_for(SetUp(jobs=("a", "b"))), made_for(SetUp())
    assert named["LoopwatchMetricsAbsent"].expr == (
        'absent_over_time(loopwatch_run_active{job="a"}[30m])\nor\nabsent_over_time(loopwatch_run_active{job="b"}[30m])'
    )
    assert named["LoopwatchMetricsAbsent"].about == (JOB,)
    assert "{{ $labels.job }}" in named["LoopwatchMetricsAbsent"].description
    assert any_of_all["LoopwatchMetricsAbsent"].expr == "absent_over_time(loopwatch_run_active[30m])"
    assert any_of_all["LoopwatchMetricsAbsent"].about == ()
    assert any_of_all["LoopwatchMetricsAbsent"].dashboard_path(Naming.DOTS) == f"/d/{Board.HEALTH.value}"


def test_services_that_only_chat_are_not_blind() -> None:
    """They are left out of that alert, and of no other."""
    usual, chatting = made_for(SetUp()), made_for(SetUp(chat_only=r"chat\d"))
    changed = [name for name, alert in chatting.items() if alert != usual[name]]
    assert changed == ["LoopwatchDetectorBlind"]
    assert chatting["LoopwatchDetectorBlind"].expr.count(r'{job!~"chat\\d"}') == 3


@pytest.mark.parametrize(
    ("window", "limit"), [("1h", "(14.4 * 0.05)"), ("6h", "(6 * 0.05)"), ("1d", "(3 * 0.05)"), ("3d", "(1 * 0.05)")]
)
def test_the_budget_is_in_the_limits_and_in_the_text(window: str, limit: str) -> None:
    """Both windows have it, whoever evaluates."""
    for recorded in (True, False):
        alert = made_for(SetUp(budget=0.05), recorded)[f"LoopwatchToolLoopBudgetBurn {window}"]
        assert alert.expr.count(f"> {limit}") == 2
        assert "(budget 5%)" in alert.description


def test_windows_are_those_of_the_workbook() -> None:
    """Factors follow from the part of the budget that is spent; the short window is a twelfth of the long one."""
    assert [(window.factor, window.severity) for window in WINDOWS] == [
        (14.4, Severity.CRITICAL),
        (6, Severity.CRITICAL),
        (3, Severity.WARNING),
        (1, Severity.WARNING),
    ]
    assert all(seconds(window.long) == 12 * seconds(window.short) for window in WINDOWS)
    assert LENGTHS == ("5m", "30m", "1h", "2h", "6h", "1d", "3d")
