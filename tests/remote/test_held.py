"""Which decisions are meant for which run."""

from __future__ import annotations

from typing import Any

import pytest

from otel_loopwatch.control import held as module
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.held import Held, is_meant
from otel_loopwatch.control.identity import RunIdentity
from otel_loopwatch.model import Action

TRACE = "0af7651916cd43dd8448eb211c80319c"
OTHER = "1af7651916cd43dd8448eb211c80319c"


def decision(run: str, action: Action = Action.HALT, version: int = 1, **more: Any) -> RunDecision:
    """As a gateway tells it."""
    return RunDecision(run=run, action=action, version=version, by="Ana", **more)


def run(*keys: str, trace: str = TRACE, agent: str | None = None) -> RunIdentity:
    """As it is known in its process."""
    return RunIdentity(keys or ("strands-1",), trace, agent)


CASES: dict[str, tuple[RunIdentity, RunDecision, bool]] = {
    "the key of its gate": (run("task-7", trace=""), decision("task-7"), True),
    "another key": (run("task-7"), decision("task-8"), False),
    "a conversation by its trace": (run(), decision("chat-7", trace_id=TRACE, agent="support"), False),
    "a conversation by its trace and agent": (
        run(agent="support"),
        decision("chat-7", trace_id=TRACE, agent="support"),
        True,
    ),
    "the trace, no names": (run(), decision(TRACE), True),
    "the trace, one name": (run(agent="support"), decision(TRACE), True),
    "the trace, the other name": (run(), decision(TRACE, agent="support"), True),
    "the trace, equal names": (run(agent="invoke_agent support"), decision(TRACE, agent="support"), True),
    "the trace, a sub-agent": (run(agent="writer"), decision(TRACE, agent="support"), False),
    "the trace, first here and not there": (run("x", TRACE, agent="writer"), decision(TRACE, agent="support"), False),
    "the trace as the gate's own key": (run(TRACE, trace=""), decision(TRACE), True),
    "the trace, known to be another of its runs": (
        run("x", f"{TRACE}/writer"),
        decision(TRACE, agent="support"),
        False,
    ),
    "all of the trace": (run("x", f"{TRACE}/writer", agent="writer"), decision(TRACE), True),
    "another trace": (run(), decision(OTHER), False),
    "no trace here": (run(trace=""), decision(TRACE), False),
    "no trace there": (run(trace=""), decision("task-8", trace_id=""), False),
    "a sub-agent by name": (run(agent="writer"), decision(f"{TRACE}/writer"), True),
    "a sub-agent by number": (run(agent="writer"), decision(f"{TRACE}/writer#2"), True),
    "another sub-agent": (run(agent="critic"), decision(f"{TRACE}/writer"), False),
    "a sub-agent, no name here": (run(), decision(f"{TRACE}/writer"), False),
    "a sub-agent by its key": (run("x", f"{TRACE}/writer#2"), decision(f"{TRACE}/writer#2"), True),
    "its twin": (run("x", f"{TRACE}/writer", agent="writer"), decision(f"{TRACE}/writer#2"), False),
    "a sub-agent that is the first here": (run("x", TRACE, agent="writer"), decision(f"{TRACE}/writer"), True),
}


@pytest.mark.parametrize("case", CASES)
def test_a_decision_is_meant_for_one_run(case: str) -> None:
    """No other run of the trace is halted with it, where they can be told apart."""
    identity, told, meant = CASES[case]
    assert is_meant(identity, told) is meant
    held = Held()
    held.put(told)
    assert held.of(identity) == (told if meant else None)


def test_the_latest_decision_counts() -> None:
    """Of one run by version, in whatever order they come; of several that are meant, the last."""
    held = Held()
    for version, action in ((2, Action.CONTINUE), (1, Action.HALT), (3, Action.BLOCK), (4, Action.NUDGE)):
        held.put(decision(TRACE, action, version))
    assert held.of(run()) == decision(TRACE, Action.CONTINUE, 2)
    held.put(decision("strands-1", version=5))
    assert held.of(run()) == decision("strands-1", version=5)
    held.put(decision(TRACE, Action.CONTINUE, 6))
    assert held.of(run()) == decision(TRACE, Action.CONTINUE, 6)


def test_decisions_are_held_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those decided last; a run that moves to another trace leaves nothing behind."""
    monkeypatch.setattr(module, "MAX_DECISIONS", 2)
    held = Held()
    for version, (key, trace) in enumerate((("a", TRACE), ("b", TRACE), ("a", OTHER), ("c", OTHER)), 1):
        held.put(decision(key, version=version, trace_id=trace, agent="x"))
    assert len(held) == 2
    assert held.of(run("b", agent="x")) is None
    assert held.of(run("none", trace=TRACE, agent="x")) is None
    assert held.of(run("none", trace=OTHER, agent="x")) == decision("c", version=4, trace_id=OTHER, agent="x")
