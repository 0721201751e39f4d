"""What a pack is made for: one set-up's budget, services, names and addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.promql import JOB, Op, Query
from otel_loopwatch.pack.windows import FASTEST

RUNBOOK = "runbook.md"
UNKNOWN_TO_PROMETHEUS = re.compile(r"\(\?<?[=!]|\\[1-9]")
"""What Python's regular expressions have and Go's have not."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """One set-up. The defaults are those of the committed files.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    budget: float = 0.01
    """Share of a tool's calls that may be wasted on loops over 30 days."""
    jobs: tuple[str, ...] = ()
    """Services that are watched, and missed when they fall silent; without any, all that send are."""
    chat_only: str = ""
    """Regular expression of services whose agents call no tools: a model without tool calls is right there."""
    naming: Naming = Naming.UNDERSCORES
    runbook_url: str = RUNBOOK
    """Where the runbook is published."""
    grafana_url: str = ""
    """Where Grafana is; links in alerts begin with it."""
    datasource: str = "prometheus"
    """Uid of the data source that alerts managed by Grafana ask."""

    def __post_init__(self) -> None:
        if not 0 < self.budget < 1 / FASTEST:
            raise ValueError(
                f"budget: {self.budget!r} must be above 0 and below {1 / FASTEST:.1%}: "
                f"the fastest alert fires at {FASTEST} times the budget, which must stay below all calls"
            )
        for job in self.jobs:
            if not (job.isprintable() and job) or '"' in job or "\\" in job:
                raise ValueError(
                    f"jobs: {job!r} must not be empty, nor have what cannot be printed, quotation marks or backslashes"
                )
        _compiled(self.chat_only)

    @property
    def query(self) -> Query:
        """Expressions narrowed to the services that are watched."""
        if not self.jobs:
            return Query(self.naming)
        return Query(self.naming).where(JOB, Op.LIKE, "|".join(map(re.escape, self.jobs)))


def _compiled(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"chat_only: {pattern!r} must be a regular expression ({error})") from None
    if '"' in pattern:
        raise ValueError(f"chat_only: {pattern!r} must not have quotation marks")
    if UNKNOWN_TO_PROMETHEUS.search(pattern):
        raise ValueError(f"chat_only: {pattern!r} must not look around or back, which Prometheus cannot do")
