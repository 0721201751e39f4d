"""Judged steps for a board, without an engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from live_agent import SIGNAL

from otel_loopwatch.gateway.audit import Unaudited
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.orders import Orders
from otel_loopwatch.model import LoopSignal, ModelTurn, Observation, Outcome, RunSummary, ToolCall
from otel_loopwatch.stream import Seen
from otel_loopwatch.tracker import RunEnded

SECOND = 10**9
NOW = 1_780_000_000 * SECOND
TRACE = 0x0AF7651916CD43DD8448EB211C80319C
RUN = f"{TRACE:032x}"


def call(run: str = RUN, number: int = 1, **what: Any) -> Seen:
    """The next call of a run, one that went well."""
    signals: tuple[LoopSignal, ...] = what.pop("signals", ())
    recovered: tuple[LoopSignal, ...] = what.pop("recovered", ())
    looping: bool = what.pop("looping", bool(signals))
    made = {"tool": "search", "agent": "support", "trace_id": TRACE, "span_id": number, "start_ns": NOW, **what}
    event = ToolCall(run=run, end_ns=NOW + number * SECOND, **made)
    seen = Observation(0xABC, 0xDEF, Outcome.SUCCESS, signals=signals, recovered=recovered)
    summary = RunSummary(run=run, agent=event.agent, calls=number, looping=looping, first_ns=NOW, last_ns=event.end_ns)
    return Seen(event, signals, seen, summary)


def looping(run: str = RUN, number: int = 8, **what: Any) -> Seen:
    """A call that completes a loop."""
    return call(run, number, signals=(replace(SIGNAL, run=run, call=number, span_id=number),), **what)


def turn(run: str = RUN) -> Seen:
    """The model has answered."""
    return Seen(ModelTurn(run=run, end_ns=NOW), run=RunSummary(run=run, turns=1, tokens=40, last_ns=NOW))


def ended(run: str = RUN) -> Seen:
    """Nothing more is expected."""
    return Seen(RunEnded(run, "ended"), run=RunSummary(run=run, calls=9, wasted_calls=3))


class Written:
    """An audit in memory, which fails where it is told to."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.fails = False

    def write(self, decision: Any, remote: str) -> None:
        if self.fails:
            raise Unaudited("the audit log cannot be written: No space left on device")
        self.lines.append((decision.action.value, remote))

    def records(self) -> tuple[()]:
        return ()


def board_and_orders(**arguments: Any) -> tuple[Board, Orders, Written]:
    """An empty board, and who orders on it."""
    board, audit = Board(clock=lambda: NOW, **arguments), Written()
    return board, Orders(board, audit, clock=lambda: NOW), audit
