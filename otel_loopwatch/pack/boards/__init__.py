"""The dashboards: `panel`, `table` and `board` know Grafana, `view` what is asked; each dashboard has its own file."""

from __future__ import annotations

from otel_loopwatch.pack.boards.board import Dashboard
from otel_loopwatch.pack.boards.health import health
from otel_loopwatch.pack.boards.overview import overview
from otel_loopwatch.pack.boards.tool import tool
from otel_loopwatch.pack.boards.traces import traces
from otel_loopwatch.pack.setup import SetUp


def dashboards(setup: SetUp) -> tuple[Dashboard, ...]:
    """All dashboards, the first one first."""
    return (overview(setup), tool(setup), health(setup), traces(setup))
