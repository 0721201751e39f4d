"""Pieces of PromQL: names and labels by either naming, and nothing that the catalogue does not have."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.promql import (
    JOB,
    MODEL_OPERATIONS,
    OVERFLOW,
    Match,
    Op,
    Query,
    Recorded,
    all_of,
    any_of,
    divided,
    share,
)
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.names import Metric

TOOL = names.TOOL_NAME
SEARCH = Match(TOOL, Op.IS, "search")
HALTS_BY_TOOL = 'sum by (job, "gen_ai.tool.name") (rate({"loopwatch.run.halts"}[1m]))'
UNDERSCORES, DOTS = Query(), Query(Naming.DOTS)


@pytest.mark.parametrize(
    ("metric", "part", "underscores", "dots"),
    [
        (names.TOOL_CALLS, "", "loopwatch_tool_calls_total", "loopwatch.tool.calls"),
        (names.RUN_HALTS, "", "loopwatch_run_halts_total", "loopwatch.run.halts"),
        (
            names.LOOP_WASTED_DURATION,
            "",
            "loopwatch_loop_wasted_duration_seconds_total",
            "loopwatch.loop.wasted_duration",
        ),
        (names.RUN_ACTIVE, "", "loopwatch_run_active", "loopwatch.run.active"),
        (names.RUN_TOOL_CALLS, "bucket", "loopwatch_run_tool_calls_bucket", "loopwatch.run.tool_calls_bucket"),
        (names.RUN_DURATION, "sum", "loopwatch_run_duration_seconds_sum", "loopwatch.run.duration_sum"),
        (
            MODEL_OPERATIONS,
            "count",
            "gen_ai_client_operation_duration_seconds_count",
            "gen_ai.client.operation.duration_count",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Metric) else "",
)
def test_a_metric_is_called_as_its_database_calls_it(metric: Metric, part: str, underscores: str, dots: str) -> None:
    """Unit and `_total` are added where names are translated, and only there."""
    assert Naming.UNDERSCORES.series(metric, part) == underscores
    assert Naming.DOTS.series(metric, part) == dots


@pytest.mark.parametrize(
    ("naming", "attribute", "label", "written", "in_template"),
    [
        (Naming.UNDERSCORES, TOOL, "gen_ai_tool_name", "gen_ai_tool_name", "$labels.gen_ai_tool_name"),
        (Naming.DOTS, TOOL, "gen_ai.tool.name", '"gen_ai.tool.name"', 'index $labels "gen_ai.tool.name"'),
        (Naming.DOTS, JOB, "job", "job", "$labels.job"),
    ],
)
def test_a_label_is_written_as_its_place_wants_it(
    naming: Naming, attribute: str, label: str, written: str, in_template: str
) -> None:
    """Dots want quotation marks in PromQL and an index in a template."""
    assert naming.label(attribute) == label
    assert naming.written(attribute) == written
    assert naming.in_template(attribute) == in_template


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (UNDERSCORES.select(names.TOOL_CALLS), "loopwatch_tool_calls_total"),
        (UNDERSCORES.select(names.TOOL_CALLS, SEARCH), 'loopwatch_tool_calls_total{gen_ai_tool_name="search"}'),
        (DOTS.select(names.RUN_ACTIVE), '{"loopwatch.run.active"}'),
        (DOTS.select(names.TOOL_CALLS, SEARCH), '{"loopwatch.tool.calls", "gen_ai.tool.name"="search"}'),
        (
            UNDERSCORES.select(names.RUN_DURATION, Match(JOB, Op.UNLIKE, "a|b"), part="count"),
            'loopwatch_run_duration_seconds_count{job!~"a|b"}',
        ),
        (
            UNDERSCORES.select(names.TOOL_CALLS, Match(OVERFLOW, Op.IS_NOT, "true")),
            'loopwatch_tool_calls_total{otel_metric_overflow!="true"}',
        ),
        (UNDERSCORES.select(names.RUN_ACTIVE, Match(JOB, Op.LIKE, r"a\d")), r'loopwatch_run_active{job=~"a\\d"}'),
        (
            UNDERSCORES.increase(names.TOOL_CALLS, "1h", SEARCH, by=(JOB, TOOL)),
            'sum by (job, gen_ai_tool_name) (increase(loopwatch_tool_calls_total{gen_ai_tool_name="search"}[1h]))',
        ),
        (
            DOTS.rate(names.RUN_HALTS, "5m", by=[TOOL]),
            'sum by ("gen_ai.tool.name") (rate({"loopwatch.run.halts"}[5m]))',
        ),
        (UNDERSCORES.rate(names.MODEL_CALLS, "5m"), "sum(rate(loopwatch_model_calls_total[5m]))"),
        (
            UNDERSCORES.quantile(0.95, names.RUN_TOOL_CALLS, "5m"),
            "histogram_quantile(0.95, sum by (le) (increase(loopwatch_run_tool_calls_bucket[5m])))",
        ),
        (
            UNDERSCORES.happened(names.RUN_HALTS, "9m", by=[JOB]),
            """\
sum by (job) (increase(loopwatch_run_halts_total[9m])) > 0
or
sum by (job) (loopwatch_run_halts_total unless last_over_time(loopwatch_run_halts_total[9m] offset 9m)) > 0""",
        ),
        (divided("a", "b"), "a\n/\nb"),
        (share("a", "b"), "clamp_max(\na\n/\nb\n, 1)"),
        (all_of("a", "b", "c"), "a\nand\nb\nand\nc"),
        (any_of("a", "b"), "a\nor\nb"),
    ],
)
def test_an_expression_is_written_out(made: str, expected: str) -> None:
    """Text that PromQL takes, by either naming."""
    assert made == expected


def test_a_query_is_narrowed_where_a_metric_has_the_label() -> None:
    """By service everywhere, by tool where tools are told apart, and recorded series by the labels of their level."""
    narrowed = UNDERSCORES.where(JOB, Op.LIKE, "$job").where(TOOL, Op.IS, "$tool")
    by_tool = Recorded("job_tool:calls:increase1h", (JOB, TOOL))
    assert narrowed.select(names.TOOL_CALLS) == 'loopwatch_tool_calls_total{job=~"$job", gen_ai_tool_name="$tool"}'
    assert narrowed.select(names.RUN_ACTIVE) == 'loopwatch_run_active{job=~"$job"}'
    assert narrowed.recorded(by_tool) == 'job_tool:calls:increase1h{job=~"$job", gen_ai_tool_name="$tool"}'
    assert narrowed.recorded(Recorded("job:calls:rate1h", (JOB,))) == 'job:calls:rate1h{job=~"$job"}'
    assert UNDERSCORES.recorded(by_tool, SEARCH) == 'job_tool:calls:increase1h{gen_ai_tool_name="search"}'


@pytest.mark.parametrize(
    "made",
    [
        ("select", names.RUN_ACTIVE, (SEARCH,), {}),
        ("rate", names.MODEL_CALLS, ("1h", SEARCH), {}),
        ("increase", names.RUN_ENDED, ("1h",), {"by": [TOOL]}),
        ("happened", names.RUN_EVICTED, ("1h",), {"by": [names.ERROR_TYPE]}),
    ],
    ids=operator.itemgetter(0),
)
def test_a_label_that_a_metric_lacks_breaks_the_build(made: tuple[str, Metric, Any, Any]) -> None:
    """Rather than giving an expression that is always empty."""
    method, metric, arguments, by = made
    with pytest.raises(KeyError, match=f"{metric.name} has no label"):
        getattr(UNDERSCORES, method)(metric, *arguments, **by)
