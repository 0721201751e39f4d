"""The order in which detectors are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Figures = Mapping[str, Any]
"""What is known of one detector, as `running.figures` gives it."""


def same_package(first: str, name: str) -> bool:
    """Whether a detector is the first one in another set-up, named ``first, set-up``."""
    return name.partition(",")[0] == first


def ranked(detectors: Mapping[str, Figures], suite: str) -> list[tuple[str, Figures]]:
    """This package first, then the others by loops in time, and by false alarms where these are equal."""
    first, *others = detectors.items()

    def rank(item: tuple[str, Figures]) -> tuple[int, int]:
        known = item[1]["suites"][suite]
        return -known["in_time"], known["false_alarms"]

    return [first, *sorted(others, key=rank)]
