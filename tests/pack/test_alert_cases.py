"""The alerts played by promtool: each fires where it should, is silent where it nearly does, and no part is idle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import promtool as tool
import pytest
import yaml
from alerting import ALERTS, FOLDER, RECORDED, Json, called

FILES = sorted(FOLDER.glob("*_test.yaml"))
PLAYED = {file.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}
TESTS: list[Json] = [test for content in PLAYED.values() for test in content["tests"]]
CASES: list[Json] = [case for test in TESTS for case in test.get("alert_rule_test", [])]
of_every_alert = pytest.mark.parametrize("alert", ALERTS, ids=called)


@tool.with_each
@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.name))
def test_promtool_sees_what_is_written(promtool: str, file: Path) -> None:
    """Alerts fire with these labels and texts, and stay silent, at these times."""
    tool.accept(promtool, "test", "rules", file.name, folder=FOLDER)


def test_every_test_is_a_sentence() -> None:
    """It says what it shows, and no other says the same."""
    told = [test["name"] for test in TESTS]
    assert [name for name in told if len(name.split()) < 5] == []
    assert len(told) == len(set(told))


@of_every_alert
def test_an_alert_fires_with_all_its_texts(alert: Json) -> None:
    """In some case, with the labels of the rule and every annotation."""
    expected = [one for case in CASES if case["alertname"] == alert["alert"] for one in case["exp_alerts"]]
    mine = [one for one in expected if is_of(alert, one)]
    assert mine
    assert all(one["exp_annotations"].keys() == alert["annotations"].keys() for one in mine)


@of_every_alert
def test_an_alert_stays_silent(alert: Json) -> None:
    """In some test in which it never fires, though there is something to look at."""
    silent = [
        test["name"]
        for test in TESTS
        for cases in [[c for c in test.get("alert_rule_test", []) if c["alertname"] == alert["alert"]]]
        if cases and not any(fires(alert, case) for case in cases)
    ]
    assert silent


def fires(alert: Json, case: Json) -> bool:
    """Whether an alert, of this window, is expected."""
    return any(is_of(alert, one) for one in case["exp_alerts"])


def is_of(alert: Json, expected: Json) -> bool:
    """Whether what is expected to fire is this alert, of those that share its name."""
    return bool(alert["labels"].items() <= expected["exp_labels"].items())


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: str(rule["record"]))
def test_every_recorded_series_is_looked_at(rule: Json) -> None:
    """By value, in some test."""
    asked = " ".join(one["expr"] for test in TESTS for one in test.get("promql_expr_test", []))
    assert re.search(rf"\b{re.escape(rule['record'])}\b", asked)


def weakened(alert: Json) -> Iterator[tuple[str, Json]]:
    """The alert with one part taken away or changed, and what that part is."""
    for key in ("for", "keep_firing_for"):
        if key in alert:
            yield f"without {key}", {name: value for name, value in alert.items() if name != key}
    for part, expr in chain(without_a_condition(alert["expr"]), compared_otherwise(alert["expr"])):
        yield part, {**alert, "expr": expr}


def without_a_condition(expr: str) -> Iterator[tuple[str, str]]:
    """The expression without one of the conditions that are joined in it, or without a choice of series."""
    lines = expr.split("\n")
    joins = [at for at, line in enumerate(lines) if re.match(r"(and|or|unless)\b", line)]
    for at in joins:
        yield f"without line {at + 1}", "\n".join(lines[:at] + lines[at + 2 :])
        if at - 2 not in joins and not lines[at - 1].startswith(")"):
            yield f"without line {at - 1}", "\n".join(lines[: at - 1] + lines[at + 1 :])
    for choice in sorted(set(re.findall(r"\{[^}]*\}", expr))):
        yield f"without {choice}", expr.replace(choice, "")


def compared_otherwise(expr: str) -> Iterator[tuple[str, str]]:
    """The expression with what is exactly on a limit on its other side, or, for shares, a hair below it."""
    other = {">": ">=", "<": "<=", ">=": ">"}
    for operator, limit in sorted(set(re.findall(r" ([<>]=?) ([\d.]+)", expr))):
        yield f"not {operator} {limit}", expr.replace(f" {operator} {limit}", f" {other[operator]} {limit}")
    for limit in sorted(set(re.findall(r"\([\d.]+ \* [\d.]+\)", expr))):
        yield f"below {limit}", expr.replace(limit, f"(0.99 * {limit})")


CHANGES = [pytest.param(changed, id=f"{called(alert)} {part}") for alert in ALERTS for part, changed in weakened(alert)]


@tool.with_one
@pytest.mark.parametrize("alert", CHANGES)
def test_no_part_of_an_alert_is_idle(promtool: str, alert: Json, tmp_path: Path) -> None:
    """Take a part away or move a limit by a hair, and some test fails."""
    recorded = [rule for rule in RECORDED if re.search(rf"\b{rule['record']}\b", alert["expr"])]
    groups = [{"name": "recorded", "rules": recorded}, {"name": "alerts", "rules": [alert]}]
    write(tmp_path / "loopwatch.yaml", {"groups": groups})
    assert any(tool.run(promtool, "test", "rules", str(file)).returncode for file in files_about(alert, tmp_path))


def files_about(alert: Json, folder: Path) -> Iterator[Path]:
    """Files with what the tests say of this alert alone."""
    for file, content in PLAYED.items():
        tests = [only(alert, test) for test in content["tests"] if alert["alert"] in str(test.get("alert_rule_test"))]
        if tests:
            write(folder / file, {**content, "group_eval_order": ["recorded", "alerts"], "tests": tests})
            yield folder / file


def only(alert: Json, test: Json) -> Json:
    """A test's cases of an alert, and of its window."""
    cases = [
        {**case, "exp_alerts": [one for one in case["exp_alerts"] if is_of(alert, one)]}
        for case in test["alert_rule_test"]
        if case["alertname"] == alert["alert"]
    ]
    return {"interval": test["interval"], "input_series": test["input_series"], "alert_rule_test": cases}


def write(file: Path, content: Json) -> None:
    """A file of YAML."""
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
