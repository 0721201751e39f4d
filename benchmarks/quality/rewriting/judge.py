"""What the engine says about cases, read as ``otel-loopwatch replay`` reads them, held against their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

import msgspec

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, Level, ToolCall
from otel_loopwatch.settings import Settings
from otel_loopwatch.sources import cases

from .case import Case

Seen = tuple[int, Kind, Level]
"""Step at which something was signalled, from 1, and what."""
NewEngine = Callable[[Settings], Engine]


class Verdict(str, Enum):
    """What came of a case."""

    IN_TIME = "in time"
    OTHER_KIND = "in time, as another kind"
    LATE = "late"
    MISSED = "missed"
    EARLY = "before there was a loop"
    STOPPED_EARLY = "stopped before there was a loop"
    SILENT = "left alone"
    ALARM = "false alarm"
    STOP = "false stop"


LOOPS_SEEN = frozenset({Verdict.IN_TIME, Verdict.OTHER_KIND})
ALARMS = frozenset({Verdict.ALARM, Verdict.STOP, Verdict.EARLY, Verdict.STOPPED_EARLY})
STOPS = frozenset({Verdict.STOP, Verdict.STOPPED_EARLY})
RIGHT = LOOPS_SEEN | {Verdict.SILENT}


def calls_of(case: Case) -> list[ToolCall]:
    """The calls as the engine takes them in; ``declared`` is what only an application could tell of a call."""
    read = cases.calls({"calls": list(case.calls)}, case.id)
    return [
        msgspec.structs.replace(call, **entry["declared"]) if entry.get("declared") else call
        for entry, call in zip(case.calls, read, strict=True)
        if call is not None
    ]


def watch(case: Case, new_engine: NewEngine = Engine) -> list[Seen]:
    """What a fresh engine signals, in order."""
    engine = new_engine(case.settings)
    return [
        (step, signal.kind, signal.level)
        for step, call in enumerate(calls_of(case), 1)
        for signal in engine.observe(call).signals
    ]


def verdict(case: Case, seen: list[Seen]) -> Verdict:
    """What the signals about a case are worth."""
    wrong = [(kind, level) for step, kind, level in seen if not case.loops or step < case.not_before]
    if wrong:
        stopped = any(level is Level.CRITICAL and kind is not Kind.BUDGET for kind, level in wrong)
        if case.loops:
            return Verdict.STOPPED_EARLY if stopped else Verdict.EARLY
        return Verdict.STOP if stopped else Verdict.ALARM
    return _of_loop(case.by_step, case.kinds, seen) if case.by_step is not None else Verdict.SILENT


def _of_loop(by_step: int, kinds: frozenset[str], seen: list[Seen]) -> Verdict:
    if not seen:
        return Verdict.MISSED
    step, kind, _ = seen[0]
    if step > by_step:
        return Verdict.LATE
    return Verdict.IN_TIME if not kinds or kind.value in kinds else Verdict.OTHER_KIND


@dataclass(frozen=True, slots=True)
class Score:
    """How many cases of each sort there were, and what came of each."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """By the id of the case."""
    loops: int = 0
    good: int = 0

    @property
    def in_time(self) -> int:
        """Loops signalled in time, whatever they were called."""
        return self._of(LOOPS_SEEN)

    @property
    def alarms(self) -> int:
        """Cases in which something was signalled that is none."""
        return self._of(ALARMS)

    @property
    def stops(self) -> int:
        """Cases in which that was critical."""
        return self._of(STOPS)

    def _of(self, verdicts: frozenset[Verdict]) -> int:
        return sum(found in verdicts for found in self.verdicts.values())


def score(cases: Iterable[Case], new_engine: NewEngine = Engine) -> Score:
    """Show every case to an engine of its own."""
    cases = list(cases)
    verdicts = {case.id: verdict(case, watch(case, new_engine)) for case in cases}
    loops = sum(case.loops for case in cases)
    return Score(verdicts, loops, len(cases) - loops)
