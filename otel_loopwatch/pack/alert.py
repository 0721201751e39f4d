"""What an alert is made of, whoever evaluates it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from otel_loopwatch.pack.naming import Naming
from otel_loopwatch.pack.promql import JOB
from otel_loopwatch.pack.windows import Severity
from otel_loopwatch.telemetry import names

VALUE = "$value"
"""In a template: what the expression came to, or would where an alert compares."""


class Board(str, Enum):
    """The dashboards, by their uid."""

    OVERVIEW = "loopwatch-overview"
    TOOL = "loopwatch-tool"
    HEALTH = "loopwatch-health"
    TRACES = "loopwatch-traces"


@dataclass(frozen=True, slots=True)
class Alert:
    """One alerting rule."""

    name: str
    severity: Severity
    expr: str
    summary: str
    """One sentence, the same for every series."""
    description: str
    """What is the matter with this one: a template."""
    board: Board
    """Where to look first."""
    about: tuple[str, ...] = (JOB,)
    """Attributes whose values the dashboard is to be opened with."""
    wait: str = ""
    """For how long it must hold before it fires."""
    keep: str = ""
    """For how long it goes on firing after it held."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels beside the severity."""

    @property
    def anchor(self) -> str:
        """Its section in the runbook."""
        return self.name.lower()

    def dashboard_path(self, naming: Naming) -> str:
        """Address of the dashboard within Grafana, with its variables set: a template."""
        chosen = "&".join(f"var-{VARIABLES[what]}={said(what, naming, '| urlquery')}" for what in self.about)
        return f"/d/{self.board.value}?{chosen}" if chosen else f"/d/{self.board.value}"


VARIABLES = {JOB: "job", names.TOOL_NAME: "tool"}
"""Names of the dashboards' variables, by the attribute they choose."""


def said(attribute: str, naming: Naming, then: str = "") -> str:
    """An attribute's value in a template."""
    return f"{{{{ {naming.in_template(attribute)}{' ' + then if then else ''} }}}}"


def percent(value: str = VALUE) -> str:
    """A share in a template."""
    return f"{{{{ {value} | humanizePercentage }}}}"
