"""What a mutation is: a case told in another way, its verdict unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from otel_loopwatch.canonical import text_of

from .case import Case, Entry

Rewrite = Callable[[Case, Random], Case]
"""Chance is the caller's, so that the same seed gives the same case."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A way to tell cases differently."""

    name: str
    rewrite: Rewrite
    keeps_evidence: bool = True
    """Whether all that tells a loop from good work is still there, if in another dress."""

    def __call__(self, case: Case, seed: int = 0) -> Case:
        """The case, rewritten; the same for the same seed."""
        return self.rewrite(case, Random(f"{seed} {self.name} {case.id}"))


def each(change: Callable[[Entry, int], Entry]) -> Rewrite:
    """Rewrite call by call; they are numbered from 0."""
    return lambda case, _: replace(case, calls=tuple(change(entry, n) for n, entry in enumerate(case.calls)))


def without(key: str) -> Rewrite:
    """Take a key from every call."""
    return each(lambda entry, _: {name: value for name, value in entry.items() if name != key})


def result_text(entry: Entry) -> str | None:
    """The result as text; ``None`` where it is unknown or was cut by who wrote the case."""
    result = entry.get("result")
    return None if result is None or entry.get("result_sha") else text_of(result)


def answered(entry: Entry, rewrite: Callable[[str], Any]) -> Entry:
    """The call with another result; what is unknown stays so."""
    text = result_text(entry)
    return entry if text is None else {**entry, "result": rewrite(text)}


def said(entry: Entry, rewrite: Callable[[str], str]) -> Entry:
    """The call with its result and the text of its failure put differently."""
    entry = answered(entry, rewrite)
    error = entry.get("error")
    return {**entry, "error": rewrite(error)} if isinstance(error, str) else entry
