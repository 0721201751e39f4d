"""The dashboards and alerts against real servers: a scripted stretch of time, and what holds it."""

from pathlib import Path

DASHBOARDS = Path(__file__).parents[1]
"""Where the dashboards for Prometheus are."""
RULES = DASHBOARDS.parent / "alerts" / "loopwatch.yaml"
"""The rules for Prometheus."""
