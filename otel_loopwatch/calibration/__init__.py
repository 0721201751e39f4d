"""A stop line learnt from a user's own good runs, with a bound on how many good runs it stops (docs/calibration.md).

Split conformal prediction, one-sided: Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World" (2005);
Lei et al., "Distribution-Free Predictive Inference for Regression" (2018).
"""

from __future__ import annotations

from otel_loopwatch.calibration.conformal import minimum_runs, rank
from otel_loopwatch.calibration.learning import GoodRun, learn
from otel_loopwatch.calibration.lines import UNNAMED, Calibration, GoodRuns
from otel_loopwatch.calibration.score import score

__all__ = ["UNNAMED", "Calibration", "GoodRun", "GoodRuns", "learn", "minimum_runs", "rank", "score"]
