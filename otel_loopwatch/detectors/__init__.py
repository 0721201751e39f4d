"""One detector per kind of loop, in order of preference where several see the same loop at the same level."""

from __future__ import annotations

from otel_loopwatch.detectors import (
    coverage,
    cycle,
    drift,
    duplicate_write,
    identical,
    names_only,
    no_progress,
    retry_storm,
)
from otel_loopwatch.detectors.base import Detector, Step, Verdict, worst

DETECTORS: tuple[Detector, ...] = (
    duplicate_write.evaluate,
    retry_storm.evaluate,
    identical.evaluate,
    cycle.evaluate,
    drift.evaluate,
    coverage.evaluate,
    no_progress.evaluate,
    names_only.evaluate,
)

__all__ = ["DETECTORS", "Detector", "Step", "Verdict", "worst"]
