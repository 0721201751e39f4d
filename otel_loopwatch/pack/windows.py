"""How fast the budget of wasted calls may be spent: the windows of the burn-rate alerts.

A budget is a share of all calls of a tool, counted over 30 days. Each pair of windows alerts when a given part of it
would be gone by the end of the long window, and the short window says that it is still going on. Pairs and parts are
those of Google's Site Reliability Workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts"; the third is Sloth's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

BUDGET_PERIOD = "30d"
SECONDS = {"m": 60, "h": 3600, "d": 86400}


def seconds(duration: str) -> int:
    """Seconds of a duration as Prometheus writes it: ``30m``."""
    return int(duration[:-1]) * SECONDS[duration[-1]]


class Severity(str, Enum):
    """How urgent an alert is."""

    CRITICAL = "critical"
    """Somebody is woken."""
    WARNING = "warning"
    """Somebody looks at it in working hours."""


@dataclass(frozen=True, slots=True)
class Window:
    """One burn-rate alert."""

    long: str
    short: str
    spends: float
    """Part of the budget that is gone at the end of the long window, at the rate that alerts."""
    wait: str
    severity: Severity
    summary: str

    @property
    def factor(self) -> float:
        """How many times as fast as allowed the budget is being spent."""
        return round(self.spends * seconds(BUDGET_PERIOD) / seconds(self.long), 1)


WINDOWS = (
    Window("1h", "5m", 0.02, "2m", Severity.CRITICAL, "An agent tool is looping fast."),
    Window("6h", "30m", 0.05, "15m", Severity.CRITICAL, "An agent tool is looping steadily."),
    Window("1d", "2h", 0.10, "1h", Severity.WARNING, "An agent tool is wasting calls on loops."),
    Window("3d", "6h", 0.10, "3h", Severity.WARNING, "An agent tool is slowly using up its budget of wasted calls."),
)

FASTEST = max(window.factor for window in WINDOWS)
LENGTHS = tuple(sorted({length for w in WINDOWS for length in (w.long, w.short)}, key=seconds))
