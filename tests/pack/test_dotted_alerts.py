"""The alerts over metrics whose names keep their dots, played by promtool of Prometheus 3 as the others are."""

from __future__ import annotations

import re
from pathlib import Path

import promtool as tool
import pytest
import yaml
from alerting import FOLDER, Json

from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.promql import JOB, MODEL_OPERATIONS, OVERFLOW
from otel_loopwatch.telemetry import names

ATTRIBUTES = {JOB, OVERFLOW, *(attribute for metric in names.METRICS for attribute in metric.attributes)}
LABELS = {Naming.UNDERSCORES.label(attribute): attribute for attribute in ATTRIBUTES}
CALLED = [*((metric, "") for metric in names.METRICS), (MODEL_OPERATIONS, "count")]
SERIES = {Naming.UNDERSCORES.series(metric, part): Naming.DOTS.series(metric, part) for metric, part in CALLED}


def dotted_series(series: str) -> str:
    """A series by its name and labels with dots."""
    name, _, labels = series.rstrip("}").partition("{")
    quoted = re.sub(r'(\w+)=(?=")', lambda label: f'"{LABELS.get(label[1], label[1])}"=', labels)
    return f'{{"{SERIES[name]}", {quoted}}}'


def dotted(test: Json) -> Json:
    """A test of alerts, with dots."""
    inputs = [{**one, "series": dotted_series(one["series"])} for one in test["input_series"]]
    cases = [{**case, "exp_alerts": [expected(one) for one in case["exp_alerts"]]} for case in test["alert_rule_test"]]
    return {**test, "input_series": inputs, "alert_rule_test": cases}


def expected(alert: Json) -> Json:
    """An alert with dots in its labels; its texts are the same."""
    return {**alert, "exp_labels": {LABELS.get(name, name): value for name, value in alert["exp_labels"].items()}}


@tool.with_3
@pytest.mark.parametrize("file", sorted(FOLDER.glob("*_test.yaml")), ids=lambda file: str(file.name))
def test_alerts_over_dotted_names_do_the_same(promtool: str, file: Path, tmp_path: Path) -> None:
    """They fire and stay silent at the same times, with the same texts."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    tests = [dotted(test) for test in content["tests"] if "alert_rule_test" in test]
    assert tests
    rules = [str(FOLDER / "otlp/loopwatch.yaml")]
    played = tmp_path / "test.yaml"
    played.write_text(yaml.safe_dump({**content, "rule_files": rules, "tests": tests}), encoding="utf-8")
    tool.accept(promtool, "test", "rules", str(played))
