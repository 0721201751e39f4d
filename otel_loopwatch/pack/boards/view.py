"""What the dashboards ask, in terms of what is chosen at their top."""

from __future__ import annotations

import re
from dataclasses import dataclass

from otel_loopwatch.pack.boards.board import annotated, chosen, one_of
from otel_loopwatch.pack.boards.panel import GREEN, ORANGE, RED, Json, Target, Threshold, steps
from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.promql import JOB, Op, Query, share
from otel_loopwatch.pack.setup import SetUp
from otel_loopwatch.pack.windows import FASTEST, LENGTHS
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.names import Metric

STEP = "$__rate_interval"
"""The range of a rate that fits the step of a graph and the interval of scrapes."""
SHOWN = "$__range"
"""The time shown."""
NOW = LENGTHS[0]
"""What counts as now: the shortest window of the alerts."""


@dataclass(frozen=True, slots=True)
class View:
    """The set-up that dashboards are made for."""

    setup: SetUp

    @property
    def query(self) -> Query:
        """Expressions narrowed to the services chosen."""
        return Query(self.setup.naming).where(JOB, Op.LIKE, "$job")

    @property
    def of_tool(self) -> Query:
        """Expressions narrowed to the services and the tool chosen."""
        return self.query.where(names.TOOL_NAME, Op.IS, "$tool")

    def legend(self, *attributes: str) -> str:
        """A series named by its labels."""
        return " ".join(f"{{{{{self.setup.naming.label(attribute)}}}}}" for attribute in attributes)

    def events(self, query: Query, metric: Metric, *by: str, part: str = "") -> Target:
        """How many events there were in each step, by labels; where there was none, there is no line."""
        return Target(f"{query.increase(metric, STEP, by=by, part=part)} > 0", self.legend(*by))

    def quantiles(self, query: Query, metric: Metric, over: str, high: float) -> tuple[Target, Target]:
        """The median of a histogram, and what few exceed."""
        median, few = query.quantile(0.5, metric, over), query.quantile(high, metric, over)
        return Target(median, "median"), Target(few, f"{high:.0%}")

    def label(self, attribute: str) -> str:
        """A label's name, as a table's column has it."""
        return self.setup.naming.label(attribute)

    @property
    def jobs(self) -> Json:
        """A choice of services."""
        return chosen("job", "Job", f"label_values({Query(self.setup.naming).select(names.RUN_ACTIVE)}, {JOB})")

    @property
    def tool(self) -> Json:
        """A choice of one tool, of those that have a name of their own."""
        calls = self.query.select(names.TOOL_CALLS)
        if self.setup.naming is Naming.UNDERSCORES:
            values = f"label_values({calls}, {self.label(names.TOOL_NAME)})"
            return {**one_of("tool", "Tool", values), "regex": f"/^(?!{names.OTHER}$).*/"}
        # Grafana before 11.5 takes no dotted label there, and some after it leave its values empty.
        label = self.query.labels([names.TOOL_NAME])
        found = f'/{re.escape(self.label(names.TOOL_NAME))}="(?!{names.OTHER}")([^"]+)"/'
        return {**one_of("tool", "Tool", f"query_result(count by ({label}) ({calls}))"), "regex": found}

    @property
    def halts(self) -> Json:
        """A mark wherever a run was halted."""
        return self._marks(self.query)

    @property
    def halts_of_tool(self) -> Json:
        """A mark wherever a run was halted at the tool chosen."""
        return self._marks(self.of_tool)

    def _marks(self, query: Query) -> Json:
        by = (JOB, names.TOOL_NAME, names.RUN_STOP_REASON)
        expr = f"{query.increase(names.RUN_HALTS, STEP, by=by)} > 0"
        return annotated("Halts", expr, "Run halted", self.legend(*by), RED)

    @property
    def last_heard(self) -> str:
        """When Loopwatch was last heard of, in seconds since the epoch: for each process, within an hour."""
        return f"max_over_time(timestamp({self.query.select(names.RUN_ACTIVE)})[1h:1m])"

    @property
    def share_limits(self) -> Json:
        """Where a share of wasted calls spends the budget: at its pace, and as fast as alerts at once."""
        budget = self.setup.budget
        return steps(Threshold(GREEN), Threshold(ORANGE, budget), Threshold(RED, round(budget * FASTEST, 6)))


def wasted_share(query: Query, over: str, *by: str) -> str:
    """Share of calls that was wasted on loops."""
    return share(query.increase(names.LOOP_WASTED_CALLS, over, by=by), query.increase(names.TOOL_CALLS, over, by=by))
