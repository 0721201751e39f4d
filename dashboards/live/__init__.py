"""The dashboards and alerts against real servers: a scripted stretch of time, and what holds it."""

from pathlib import Path

RULES = Path(__file__).parents[2] / "alerts" / "loopwatch.yaml"
"""The rules for Prometheus."""
