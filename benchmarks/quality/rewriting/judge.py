"""What the engine says about cases, read as ``otel-loopwatch replay`` reads them, held against their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, ToolCall
from otel_loopwatch.settings import Settings
from otel_loopwatch.sources import cases as case_format

from .. import loading
from ..judging import Caught, Judgement, judge
from ..ours import FIRED
from ..watching import Firing, Watched
from .case import Case

NewEngine = Callable[[Settings], Engine]


def calls_of(case: Case) -> Iterator[ToolCall | None]:
    """The calls as the engine takes them in; ``declared`` holds what only an application could tell of a call."""
    read = case_format.calls({"calls": list(case.calls)}, case.id)
    for entry, call in zip(case.calls, read, strict=True):
        declared = entry.get("declared")
        yield msgspec.structs.replace(call, **declared) if call and declared else call


def watch(case: Case, new_engine: NewEngine = Engine) -> Watched:
    """What a fresh engine signals, up to the signal that a loop is judged by."""
    found: list[Firing] = []
    for firing in _firings(case, new_engine(case.settings)):
        found.append(firing)
        if case.expect.loop and firing.call >= case.expect.not_before:
            break
    return Watched(tuple(found))


def _firings(case: Case, engine: Engine) -> Iterator[Firing]:
    """A budget is the user's word, and counts only where it is what the case is about."""
    about_budget = Kind.BUDGET.value in case.expect.kinds
    for step, call in enumerate(calls_of(case), 1):
        for signal in engine.observe(call).signals if call else ():
            if about_budget or signal.kind is not Kind.BUDGET:
                yield Firing(step, FIRED[signal.level], signal.kind.value)


@dataclass(frozen=True, slots=True)
class Score:
    """What came of each case, by its id."""

    judgements: Mapping[str, Judgement]

    @property
    def loops(self) -> int:
        """Cases with a loop."""
        return sum(one.caught is not None for one in self.judgements.values())

    @property
    def good(self) -> int:
        """Cases of good work."""
        return len(self.judgements) - self.loops

    @property
    def in_time(self) -> int:
        """Loops signalled in time, whatever they were called."""
        return sum(one.caught is Caught.IN_TIME for one in self.judgements.values())

    @property
    def alarms(self) -> int:
        """Cases in which something was signalled that is none."""
        return sum(one.false_alarm for one in self.judgements.values())

    @property
    def stops(self) -> int:
        """Good work that was stopped."""
        return sum(one.false_stop for one in self.judgements.values())


def judged(case: Case, new_engine: NewEngine = Engine) -> Judgement:
    """What the engine's signals are worth on a case."""
    return judge(loading.Case("", case.id, case.expect, ()), watch(case, new_engine))


def score(cases: Iterable[Case], new_engine: NewEngine = Engine) -> Score:
    """Show every case to an engine of its own."""
    return Score({case.id: judged(case, new_engine) for case in cases})


def verdict(judgement: Judgement) -> str:
    """One or two words for it, the worst first."""
    if judgement.false_stop or judgement.false_alarm:
        return "false stop" if judgement.false_stop else "false alarm"
    if judgement.caught is None:
        return "left alone"
    in_time = judgement.caught is Caught.IN_TIME
    return "another kind" if in_time and not judgement.kind_right else judgement.caught.value
