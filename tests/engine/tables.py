"""All stories of the detectors' tables."""

from __future__ import annotations

from detectors import (
    test_budget,
    test_coverage,
    test_cycle,
    test_drift,
    test_duplicate_write,
    test_hand_off,
    test_identical,
    test_no_progress,
    test_retry_storm,
)
from engine.story import Row

TABLES = (
    test_budget,
    test_coverage,
    test_cycle,
    test_drift,
    test_duplicate_write,
    test_hand_off,
    test_identical,
    test_no_progress,
    test_retry_storm,
)
ROWS: list[Row] = [row for table in TABLES for row in table.ROWS]
