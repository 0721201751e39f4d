"""What docs/detection.md says of the rules and of the grades of evidence, taken from the engine itself."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from types import FunctionType

from otel_loopwatch.detectors import RULES, grading
from otel_loopwatch.detectors.no_progress import AGAIN
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import THRESHOLDS

RULE_COLUMNS = ("rule", "kinds", "what it sees", "what it adds to the thresholds")
GRADE_COLUMNS = (
    "grade",
    "what came back",
    "evidence",
    "in a row",
    "with long gaps",
    "ping-pong",
    "cycle",
    "others between",
)
NEVER = "-"
USUAL = (grading.NO_EXTRA, grading.NEVER)
"""Extras that are no numbers of a rule's own."""


def rules() -> Iterator[tuple[str, ...]]:
    """Every rule in the order of preference: its kinds, its purpose, and what it takes beyond the usual numbers."""
    for name, rule in RULES.items():
        known = dict(_named(rule))  # type: ignore[arg-type]
        kinds = [kind.value for kind in Kind if known.get(kind.name) is kind]
        extras = [
            f"{_spoken(name)} {_added(extra)}" for name, extra in known.items() if isinstance(extra, grading.Extra)
        ]
        yield f"`{name}`", ", ".join(kinds), (rule.__doc__ or "").partition("\n")[0], "; ".join(extras)


def _named(function: FunctionType) -> Iterator[tuple[str, Kind | grading.Extra]]:
    """Kinds and extras that a function of the detectors names, itself or through those it calls."""
    for name in function.__code__.co_names:
        named = function.__globals__.get(name, Kind.__members__.get(name))
        if isinstance(named, FunctionType) and named.__module__.startswith("otel_loopwatch.detectors."):
            yield from _named(named)
        elif isinstance(named, Kind) or (isinstance(named, grading.Extra) and named not in USUAL):
            yield name, named


def _spoken(constant: str) -> str:
    return constant.lower().replace("_", " ")


def _added(extra: grading.Extra) -> str:
    return f"{extra.warning:+d} / {NEVER if extra.critical is None else format(extra.critical, '+d')}"


def grades() -> Iterator[tuple[str, ...]]:
    """Every grade, from nothing to a lot, with the numbers at which repeats are a warning, and critical."""
    said = _said()
    for grade in Grade:
        repeats = Kind.RETRY_STORM if grade.failure else Kind.IDENTICAL
        yield (
            grade.name.lower(),
            said[grade.name],
            grade.evidence.value,
            _levels(repeats, grading.REPEATS[grade]),
            _levels(repeats, grading.PATIENT_REPEATS[grade]),
            *(_levels(kind, grading.ROUNDS[grade]) for kind in (Kind.PING_PONG, Kind.CYCLE)),
            _levels(Kind.NO_PROGRESS, AGAIN[grade]) if grade in AGAIN else NEVER,
        )


def _levels(kind: Kind, extra: grading.Extra) -> str:
    warning, critical = grading.needed(THRESHOLDS[kind], extra)
    return f"{warning} / {NEVER if critical is None else critical}"


def _said() -> dict[str, str]:
    """What the source says of each grade, below it."""
    (definition,) = ast.parse(inspect.getsource(Grade)).body
    assert isinstance(definition, ast.ClassDef)  # noqa: S101 - for the type checker
    return {
        assigned.targets[0].id: said.value.value
        for assigned, said in pairwise(definition.body)
        if isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name)
        if isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant) and isinstance(said.value.value, str)
    }
