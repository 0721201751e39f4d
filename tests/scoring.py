"""Calls, cases and detectors of the tests' own making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quality.detector import Call, Fired
from quality.loading import Case, case_of


def call(arguments: Any = "x", result: Any = "y", tool: str = "find", error: str | None = None) -> Call:
    """One call."""
    return Call("case", "case", tool, arguments, None if error else result, error)


def case(calls: int = 6, suite: str = "public", **expect: Any) -> Case:
    """A case of identical calls."""
    entries = [{"tool": "find", "args": {"q": 1}, "result": "y"} for _ in range(calls)]
    return case_of({"id": "made", "expect": expect, "calls": entries}, suite)


@dataclass
class Scripted:
    """A detector that fires as told: what it does about each call, and the kind it says it is."""

    script: Sequence[Fired | Exception]
    kind: str | None = None
    name: str = "scripted"
    version: str = "1"

    def start(self) -> _Playing:
        return _Playing(iter(self.script), self.kind)


class _Playing:
    def __init__(self, script: Any, kind: str | None) -> None:
        self._script, self.kind = script, kind

    def observe(self, call: Call) -> Fired:
        done = next(self._script, Fired.NOTHING)
        if isinstance(done, Exception):
            raise done
        return Fired(done)
