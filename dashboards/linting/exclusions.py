"""Findings that are meant to be: which, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from linting.catalogue import RULES
from linting.rule import Finding


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Takes a rule back for one place; None stands for every place."""

    rule: str
    reason: str
    dashboard: str | None = None
    panel: str | None = None
    target: int | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is the one that is meant."""
        return self.rule == finding.rule and all(
            wanted in (None, found)
            for wanted, found in (
                (self.dashboard, finding.dashboard),
                (self.panel, finding.panel),
                (self.target, finding.target),
            )
        )


def read(path: Path) -> list[Exclusion]:
    """The exclusions of a file in the form of the dashboard-linter's ``.lint``.

    Raises:
        ValueError: a rule is unknown, a reason is missing, or an entry names something that there is not.
    """
    rules = (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).get("exclusions", {})
    return [exclusion for rule, told in rules.items() for exclusion in _entries(rule, told or {})]


def applied(exclusions: Iterable[Exclusion], findings: list[Finding]) -> tuple[list[Finding], list[Exclusion]]:
    """The findings that are left, and the exclusions that excluded nothing."""
    exclusions = list(exclusions)
    left = [finding for finding in findings if not any(e.covers(finding) for e in exclusions)]
    idle = [exclusion for exclusion in exclusions if not any(exclusion.covers(f) for f in findings)]
    return left, idle


def _entries(rule: str, told: dict[str, Any]) -> Iterator[Exclusion]:
    if rule not in {known.name for known in RULES}:
        raise ValueError(f"exclusions: {rule!r} is no rule")
    for entry in told.get("entries", [{}]):
        place = {"reason": told.get("reason"), **entry}
        if "targetIdx" in place:
            place["target"] = int(place.pop("targetIdx"))
        yield _exclusion(rule, place)


def _exclusion(rule: str, place: dict[str, Any]) -> Exclusion:
    unknown = set(place) - {field.name for field in fields(Exclusion)}
    if unknown:
        raise ValueError(f"exclusions: {rule}: {min(unknown)!r} is no part of an entry")
    if not place["reason"]:
        raise ValueError(f"exclusions: {rule}: an exclusion needs a reason")
    return Exclusion(rule, **place)
