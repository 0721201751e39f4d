"""What counts as a loop in time, a false alarm, a false stop, and a call wasted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median
from typing import Any

from .detector import Call, Fired
from .loading import Case, Expectation
from .plain import reply, request
from .watching import Firing, Watched


class Caught(str, Enum):
    """How a loop was met."""

    IN_TIME = "in time"
    LATE = "late"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a detector's firings are worth on one case. ``caught`` is ``None`` on a legitimate one."""

    case: str
    caught: Caught | None = None
    kind_right: bool = False
    false_alarm: bool = False
    """Fired on good work, or before a loop could be one."""
    false_stop: bool = False
    """Stopped good work."""
    stopped: bool = False
    """Stopped the loop by twice the call at which it must be signalled, or by its end."""
    wasted: int = 0
    """Of a loop that was caught: calls wasted up to and with the first signal."""
    broken: int = 0
    found: str = ""
    """What is wrong, for people; empty where nothing is."""


def judge(case: Case, watched: Watched) -> Judgement:
    """Hold the firings against the verdict expected."""
    return _of_loop(case, watched) if case.expect.loop else _of_good_work(case, watched)


def _of_good_work(case: Case, watched: Watched) -> Judgement:
    alarm, stop = watched.first(), watched.first(Fired.STOPPED)
    worst = f"false stop at {stop.call}" if stop else f"false alarm at {alarm.call}" if alarm else ""
    kind = f" ({alarm.kind})" if alarm and alarm.kind else ""
    return Judgement(
        case.id,
        false_alarm=alarm is not None,
        false_stop=stop is not None,
        broken=watched.broken,
        found=worst and worst + kind,
    )


def _of_loop(case: Case, watched: Watched) -> Judgement:
    expect = case.expect
    alarm = watched.first()
    first = watched.first(since=expect.not_before)
    stop = watched.at(Fired.STOPPED, since=expect.not_before)
    caught = Caught.MISSED if first is None else Caught.IN_TIME if first.call <= expect.by_step else Caught.LATE
    early = alarm is not None and alarm.call < expect.not_before
    return Judgement(
        case.id,
        caught=caught,
        kind_right=caught is Caught.IN_TIME and first is not None and _kind_right(first.kind, expect.kinds),
        false_alarm=early,
        stopped=stop is not None and stop <= 2 * expect.by_step,
        wasted=wasted(case.calls[: first.call]) if first else 0,
        broken=watched.broken,
        found=", ".join(_wrong(expect, caught, alarm if early else None, first)),
    )


def _wrong(expect: Expectation, caught: Caught, early: Firing | None, first: Firing | None) -> Iterator[str]:
    if early:
        yield f"false alarm at {early.call}, a loop from {expect.not_before}"
    if caught is Caught.MISSED:
        yield f"missed, by {expect.by_step}"
    if first and caught is Caught.LATE:
        yield f"late at {first.call}, by {expect.by_step}"
    if first and first.kind and not _kind_right(first.kind, expect.kinds):
        yield f"kind {first.kind} is none of {', '.join(sorted(expect.kinds))}"


def _kind_right(kind: str | None, kinds: frozenset[str]) -> bool:
    return kind in kinds or (kind == "duplicate_write" and "identical" in kinds)


def wasted(calls: Sequence[Call]) -> int:
    """Calls that asked what had been asked before, or brought from a tool what it had brought before."""
    seen: set[Hashable] = set()
    count = 0
    for call in calls:
        marks = {("request", request(call)), ("reply", call.tool, reply(call))}
        count += not seen.isdisjoint(marks)
        seen |= marks
    return count


def summary(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """The figures of a suite."""
    loops = [one for one in judgements if one.caught]
    caught = [one.wasted for one in loops if one.caught is not Caught.MISSED]
    return {
        "loops": len(loops),
        "in_time": _how_many(loops, Caught.IN_TIME),
        "kind_right": sum(one.kind_right for one in loops),
        "late": _how_many(loops, Caught.LATE),
        "missed": _how_many(loops, Caught.MISSED),
        "stopped": sum(one.stopped for one in loops),
        "wasted_before_signal": median(caught) if caught else None,
        "legitimate": len(judgements) - len(loops),
        "false_alarms": sum(one.false_alarm for one in judgements),
        "false_stops": sum(one.false_stop for one in judgements),
        "broken_calls": sum(one.broken for one in judgements),
    }


def _how_many(judgements: Iterable[Judgement], caught: Caught) -> int:
    return sum(one.caught is caught for one in judgements)
