"""Plain rules that need no package: what many products ship as their loop detection. To fire is to stop."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import partial

from .detector import Call, Fired, Session

WINDOW = 30
"""Calls that "same call and result" looks back on."""
PERIODS = range(1, 7)
ROUNDS = 3
STEPS = 25

Rule = Callable[[Call], bool]
"""Whether the rule is met with this call; it remembers the earlier ones."""


@dataclass(frozen=True, slots=True)
class PlainRule:
    """A rule under a name; ``make`` gives one that has seen nothing."""

    name: str
    make: Callable[[], Rule]
    version: str = ""

    def start(self) -> Session:
        """The rule with an empty memory."""
        return _Stops(self.make())


class _Stops:
    def __init__(self, rule: Rule) -> None:
        self._met = rule

    def observe(self, call: Call) -> Fired:
        return Fired.STOPPED if self._met(call) else Fired.NOTHING


def request(call: Call) -> Hashable:
    """What is asked of which tool; unknown arguments equal nothing."""
    return object() if call.arguments is None else (call.tool, written(call.arguments))


def reply(call: Call) -> Hashable:
    """What came back; an unknown result equals nothing."""
    if call.error is not None:
        return "error", call.error
    return object() if call.result is None else ("result", written(call.result))


def written(value: object) -> str:
    """A JSON value as text in which the order of keys does not matter."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def identical(times: int) -> Rule:
    """The same request so many times in a row."""
    return _in_a_row(request, times)


def same_error(times: int) -> Rule:
    """The same error of the same tool so many times in a row."""
    return _in_a_row(lambda call: object() if call.error is None else (call.tool, call.error), times)


def same_reply(times: int) -> Rule:
    """The same request with the same reply so many times within the window."""
    recent: deque[Hashable] = deque(maxlen=WINDOW)

    def met(call: Call) -> bool:
        recent.append((request(call), reply(call)))
        return Counter(recent)[recent[-1]] >= times

    return met


def cycles() -> Rule:
    """The same requests in the same order, one round directly after the other."""
    recent: deque[Hashable] = deque(maxlen=max(PERIODS) * ROUNDS)

    def met(call: Call) -> bool:
        recent.append(request(call))
        return any(_goes_round(list(recent)[-period * ROUNDS :], period) for period in PERIODS)

    return met


def step_limit(steps: int) -> Rule:
    """More calls than allowed."""
    counted = 0

    def met(call: Call) -> bool:
        nonlocal counted
        counted += 1
        return counted > steps

    return met


def _in_a_row(key: Callable[[Call], Hashable], times: int) -> Rule:
    recent: deque[Hashable] = deque(maxlen=times)

    def met(call: Call) -> bool:
        recent.append(key(call))
        return len(recent) == times and _all_equal(recent)

    return met


def _goes_round(calls: list[Hashable], period: int) -> bool:
    return len(calls) == period * ROUNDS and calls[period:] == calls[:-period]


def _all_equal(items: Iterable[Hashable]) -> bool:
    return len(set(items)) == 1


RULES = (
    *(PlainRule(f"{k} identical in a row", partial(identical, k)) for k in (3, 4, 5, 6)),
    *(PlainRule(f"same call and result {k} in {WINDOW}", partial(same_reply, k)) for k in (3, 5)),
    PlainRule(f"cycles of 1-{PERIODS[-1]}, {ROUNDS} rounds", cycles),
    PlainRule("same error 3 in a row", partial(same_error, 3)),
    PlainRule(f"step limit {STEPS}", partial(step_limit, STEPS)),
)
