"""The pack where metrics arrive by OTLP, in VictoriaMetrics: with the names of Prometheus, and with dots."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from halting import halted
from live import DASHBOARDS, RULES, api
from live.jobs import Job
from live.processes import NotInstalled, until
from live.queries import panel_queries, read, substituted
from live.servers import victoria_metrics
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.telemetry import names

JOB, TOOL = "night-agent", "search_policy"
BY_HAND_MS = 3_600_000
"""Until the reader would export by itself."""
STEP_S, RANGE_S = 60, 3600
NOT_SEEN, NOT_EVALUATED, TOO_YOUNG = "did not happen", "an evaluator of the rules makes it", "looks once a minute"
SILENT = {
    "Longest silence, A": TOO_YOUNG,
    "Last heard, A": TOO_YOUNG,
    "Spans not judged, A": NOT_SEEN,
    "Runs dropped before their end, A": NOT_SEEN,
    "Calls counted without their tool's name, A": NOT_SEEN,
    "Failures by error, A": NOT_SEEN,
    "Failures by error, B": NOT_SEEN,
    "Limits reached, and why guarded runs ended, A": NOT_SEEN,
    "Limits reached, and why guarded runs ended, B": NOT_SEEN,
    "What was done about loops, A": NOT_SEEN,
    "Loops warned of, and got out of, B": NOT_SEEN,
    "Firing alerts, A": NOT_EVALUATED,
    "Burn rate by tool, A": NOT_EVALUATED,
    "Wasted share, as the alerts see it, A": NOT_EVALUATED,
    "Wasted share, as the alerts see it, B": NOT_EVALUATED,
    "Wasted share, as the alerts see it, C": NOT_EVALUATED,
}
"""Queries that come back empty, by title and letter, and why."""


@dataclass(frozen=True, slots=True)
class Database:
    """A VictoriaMetrics that was told of a loop, and the pack that is made for its names."""

    url: str
    naming: Naming
    rules: list[dict[str, Any]]
    boards: list[dict[str, Any]]

    def answer(self, expr: str) -> list[dict[str, Any]] | str:
        """What it answers now, or why it cannot."""
        try:
            return api.instant(self.url, expr)
        except api.Refused as refused:
            return str(refused)


PACKS: dict[Naming, tuple[tuple[str, ...], Path, Path]] = {
    Naming.UNDERSCORES: (("-opentelemetry.usePrometheusNaming",), RULES, DASHBOARDS),
    Naming.DOTS: ((), RULES.parent / "otlp" / RULES.name, DASHBOARDS / "otlp"),
}
"""Options of VictoriaMetrics, rules, and where the dashboards are."""


@pytest.fixture(scope="module", params=PACKS, ids=lambda naming: str(naming.value))
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """Told of a loop twice, before and after, as increases need."""
    naming: Naming = request.param
    options, rules, boards = PACKS[naming]
    with ExitStack() as stack:
        try:
            url = stack.enter_context(victoria_metrics(*options))
        except NotInstalled as missing:
            pytest.skip(str(missing))
        exporter = OTLPMetricExporter(endpoint=f"{url}/opentelemetry/v1/metrics")
        reader = PeriodicExportingMetricReader(exporter, export_interval_millis=BY_HAND_MS)
        job = stack.enter_context(closing(Job(JOB, time.time_ns, "halt", reader=reader)))
        halts = f'{{__name__="{naming.series(names.RUN_HALTS)}"}}'
        halted(job, lambda: shown(job, url, halts))
        shown(job, url, f"{halts} > 0")
        groups = yaml.safe_load(rules.read_text(encoding="utf-8"))["groups"]
        yield Database(url, naming, [rule for group in groups for rule in group["rules"]], read(boards))


def shown(job: Job, url: str, expr: str) -> None:
    """Export, and wait until it can be asked for."""
    assert job.meters.force_flush()
    until(lambda: bool(api.fetched(f"{url}/internal/force_flush")) and bool(api.instant(url, expr)), expr)


def test_every_rule_can_be_evaluated(database: Database) -> None:
    """Recording rules and alerts, of the pack for these names."""
    answers = [(rule["expr"], database.answer(rule["expr"])) for rule in database.rules]
    assert [(expr, answer) for expr, answer in answers if isinstance(answer, str)] == []


def test_every_panel_can_be_asked_for(database: Database) -> None:
    """All queries of the dashboards for these names; what is about the loop has something to show."""
    queries = [query for board in database.boards for query in panel_queries(board)]
    answers = {
        query.where: database.answer(substituted(query.expr, {"job": JOB, "tool": TOOL}, STEP_S, RANGE_S))
        for query in queries
    }
    assert {where: answer for where, answer in answers.items() if isinstance(answer, str)} == {}
    assert {where for where, answer in answers.items() if not answer} <= SILENT.keys()


def test_the_looping_tool_is_there(database: Database) -> None:
    """In every recorded series: most of its calls were wasted, and how many there were."""
    label = database.naming.label(names.TOOL_NAME)
    for rule in database.rules:
        if "record" in rule:
            values = {s["metric"][label]: float(s["value"][1]) for s in api.instant(database.url, rule["expr"])}
            least = 0.5 if ":ratio_" in rule["record"] else 3
            assert values.keys() == {TOOL}, rule["record"]
            assert values[TOOL] >= least, rule["record"]


def test_the_halt_alerts(database: Database) -> None:
    """With the job, which VictoriaMetrics is told to take from the service's name, the tool and the kind of loop."""
    expr = next(rule["expr"] for rule in database.rules if rule.get("alert") == "LoopwatchRunHalted")
    label = database.naming.label
    assert [series["metric"] for series in api.instant(database.url, expr)] == [
        {"job": JOB, label(names.TOOL_NAME): TOOL, label(names.RUN_STOP_REASON): "identical"}
    ]
