"""Rules about queries to Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from linting.board import Board, Json
from linting.promql import RATE_INTERVAL, Selector, parsed, selectors
from linting.rule import target_rule


@target_rule("target-promql-rule", "prometheus")
def promql(board: Board, target: Json) -> Iterator[str]:
    """A query is PromQL, or shows again what another panel asked."""
    if target.get("panelId"):
        if target["panelId"] not in {panel.get("id") for panel in board.panels}:
            yield f"no panel has id {target['panelId']}"
        return
    try:
        parsed(board, target.get("expr", ""))
    except ValueError as error:
        yield f"{target.get('expr', '')!r}: {error}"


@target_rule("target-rate-interval-rule", "prometheus")
def rate_interval(board: Board, target: Json) -> Iterator[str]:
    """``rate`` and ``irate`` look back over ``$__rate_interval``."""
    for selector in _selectors(board, target):
        if selector.ranger in ("rate", "irate") and selector.range != RATE_INTERVAL:
            yield f"{selector.ranger} of {selector.metric} does not use $__rate_interval"


@target_rule("target-job-rule", "prometheus")
def job(board: Board, target: Json) -> Iterator[str]:
    """Every selector has ``job=~"$job"``."""
    return _without(board, target, "job")


@target_rule("target-instance-rule", "prometheus")
def instance(board: Board, target: Json) -> Iterator[str]:
    """Every selector has ``instance=~"$instance"``."""
    return _without(board, target, "instance")


@target_rule("target-counter-agg-rule", "prometheus")
def counter_agg(board: Board, target: Json) -> Iterator[str]:
    """A counter, known by ``_total``, stands in ``rate``, ``irate`` or ``increase``."""
    for selector in _selectors(board, target):
        if selector.metric.endswith("_total") and selector.ranger not in ("rate", "irate", "increase"):
            yield f"counter {selector.metric} is not in rate, irate or increase"


@target_rule("target-histogram-rule", "prometheus")
def histogram(board: Board, target: Json) -> Iterator[str]:
    """The buckets of a histogram stand in ``histogram_quantile``, or are drawn as a heatmap."""
    for selector in _selectors(board, target):
        drawn = target.get("format") == "heatmap" or "histogram_quantile" in selector.functions
        if selector.metric.endswith("_bucket") and not drawn:
            yield f"buckets of {selector.metric} are not in histogram_quantile"


def _without(board: Board, target: Json, label: str) -> Iterator[str]:
    wanted = f'{label}=~"${label}"'
    for selector in _selectors(board, target):
        if wanted not in map(str, selector.matchers):
            yield f"{selector.metric} is selected without {wanted}"


def _selectors(board: Board, target: Json) -> list[Selector]:
    try:
        return selectors(parsed(board, target.get("expr", "")))
    except ValueError:  # another rule says so
        return []
