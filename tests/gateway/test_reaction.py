"""What follows from judged steps: decisions, marks, log records, counts; what is known of a run up to its end."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from gateway.agents import AGENT_SPAN, RUN, Bench, agent, bench, tool, traces
from gateway.boards import call, ended
from live_agent import SIGNAL

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import DryRun
from otel_loopwatch.control.ladder import GRACE
from otel_loopwatch.gateway.judging import NoPage
from otel_loopwatch.gateway.reaction import KnownRun
from otel_loopwatch.model import Action, Level, LoopSignal, ModelTurn, RunSummary
from otel_loopwatch.otlp.values import attributes
from otel_loopwatch.stream import MarkedSpan, Seen
from otel_loopwatch.telemetry import names
from otel_loopwatch.tracker import RunEnded

WARNING, CRITICAL = 102, 104
"""The calls by which the loop of :func:`looping` reaches these levels."""


def looping(it: Bench, calls: int = 8) -> Bench:
    """An agent that asks the same thing again and again, to its end."""
    it.take(*(traces(tool(number)) for number in range(calls)), traces(agent(calls)))
    return it


def always(action: Action) -> Any:
    """A hook that always says the same."""
    return lambda signal, run: action


@pytest.mark.parametrize(
    ("hook", "written", "held", "status"),
    [
        ("observe", ["continue", "continue"], Action.CONTINUE, "looped"),
        ("dry_run", ["nudge", "halt"], Action.CONTINUE, "looped"),
        ("halt", ["nudge", "halt"], Action.HALT, "halted"),
        ("tiered", ["nudge", "block"], Action.BLOCK, "looped"),
        (always(Action.NUDGE), ["nudge", "nudge"], Action.NUDGE, "looped"),
        (always(Action.BLOCK), ["block", "block"], Action.BLOCK, "looped"),
        (DryRun(always(Action.BLOCK)), ["block", "block"], Action.CONTINUE, "looped"),
    ],
    ids=["observe", "dry_run", "halt", "tiered", "nudge", "block", "dry block"],
)
def test_what_the_hook_says_is_written_and_holds(hook: Any, written: list[str], held: Action, status: str) -> None:
    """On the calls, on the board, and on the agent's span."""
    it = looping(bench(hook))
    assert it.marks_of([WARNING, CRITICAL], "loop.action") == written
    assert it.board.decision(RUN).action is held
    assert it.marks(AGENT_SPAN, "run.status") == status
    assert it.marks(AGENT_SPAN, "loop.action") == written[-1]
    dry = "dry_run" if isinstance(hook, DryRun) or hook == "dry_run" else None
    assert it.marks(CRITICAL, "loop.dry_run") == (True if dry else None)
    assert it.counts(names.LOOP_SIGNALS.name) == {
        ("search", "identical", "critical"): 1,
        ("search", "identical", "warning"): 1,
    }
    assert it.counts(names.RUN_ENDED.name) == {(status,): 1}


def test_a_halt_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """On the agent's span with its report, in the metrics, in the log; with the id of its signal for who follows."""
    with caplog.at_level(logging.INFO, "otel_loopwatch"):
        it = looping(bench("halt"))
    report = json.loads(it.marks(AGENT_SPAN, "run.stop_report"))
    assert (report["run"], report["stop_reason"], report["completed_calls"]) == (RUN, "identical", 8)
    assert it.spans()[AGENT_SPAN].status.code == 2
    assert it.counts(names.RUN_HALTS.name) == {("search", "identical"): 1}
    decision = it.board.decision(RUN)
    assert decision.signal == it.marks(CRITICAL, "loop.id")
    assert (decision.by, decision.agent) == ("loopwatch", "helper")
    assert len([record for record in caplog.records if "loopwatch_stop_report" in vars(record)]) == 1


@pytest.mark.parametrize(("by", "state"), [("ada", "needs_human"), ("loopwatch", "stopped_loop_guard")])
def test_a_run_that_was_halted_elsewhere_ends_with_a_report(by: str, state: str) -> None:
    """Of a person, or of a gateway before this one; no loop was its cause."""
    it = bench()
    it.board.decide(RunDecision(run=RUN, action=Action.HALT, version=0, by=by, reason="Enough."))
    looping(it, calls=2)
    report = json.loads(it.marks(AGENT_SPAN, "run.stop_report"))
    assert (report["state"], report["completed_calls"]) == (state, 2)
    assert it.marks(AGENT_SPAN, "run.status") == "halted"


def resume(it: Bench) -> None:
    """A person has the run go on."""
    it.board.decide(RunDecision(run=RUN, action=Action.CONTINUE, version=0, by="ada"))


def test_a_resumed_run_that_loops_on_is_halted_again() -> None:
    """It has a few calls to get out of its loop."""
    it = bench("halt")
    it.take(*(traces(tool(number)) for number in range(5)))
    assert it.board.decision(RUN).halts
    resume(it)
    it.take(*(traces(tool(number)) for number in range(5, 5 + GRACE)))
    assert not it.board.decision(RUN).halts
    it.take(traces(tool(5 + GRACE)))
    assert it.board.decision(RUN).halts
    assert it.board.decision(RUN).signal == it.marks(CRITICAL, "loop.id")
    assert it.counts(names.RUN_HALTS.name) == {("search", "identical"): 2}


def test_a_resumed_run_that_gets_out_of_its_loop_is_let_be() -> None:
    """It ends as one that recovered."""
    it = bench("halt")
    it.take(*(traces(tool(number)) for number in range(5)))
    resume(it)
    others = ("teapots", "invoices of May", "parcel", "warranty", "Linz", "vouchers", "opening hours")
    it.take(*(traces(tool(number, ask=ask)) for number, ask in enumerate(others, 5)))
    assert not it.board.decision(RUN).halts
    it.take(traces(agent(12)))
    assert it.marks(AGENT_SPAN, "run.status") == "recovered"
    assert it.marks(AGENT_SPAN, "run.stop_report") is None
    assert it.counts(names.LOOP_RECOVERIES.name) == {("search", "identical"): 1}


def test_a_resumed_run_is_halted_again_for_another_loop() -> None:
    """At once."""
    it = bench("halt")
    step(it, signal())
    resume(it)
    step(it, signal(call=20))
    assert it.board.decision(RUN).halts
    assert it.counts(names.RUN_HALTS.name) == {("search_docs", "identical"): 2}


def test_a_halted_run_is_not_halted_twice() -> None:
    """Further loops of it are told, and count no halt."""
    it = bench("halt")
    step(it, signal())
    step(it, signal(call=20))
    assert it.counts(names.RUN_HALTS.name) == {("search_docs", "identical"): 1}


def signal(**what: Any) -> LoopSignal:
    """A critical one of the run."""
    return replace(SIGNAL, run=RUN, span_id=8, **what)


def step(it: Bench, *signals: LoopSignal, page: Any = None) -> None:
    """A call that completes loops."""
    it.reaction.to(call(number=8, signals=signals), page or NoPage())


class OnePage:
    """All spans are at hand."""

    trace_id = int(RUN, 16)

    def __init__(self) -> None:
        self.spans: dict[int, MarkedSpan] = {}

    def span(self, trace_id: int, span_id: int) -> MarkedSpan:
        return self.spans.setdefault(span_id, MarkedSpan())

    def service(self, span_id: int) -> str:
        return "shop"


def test_of_several_signals_the_critical_one_is_on_the_span() -> None:
    """Whichever came first; both are events."""
    it, page = bench(), OnePage()
    step(it, signal(), signal(level=Level.WARNING), page=page)
    marks = page.spans[8]
    assert marks.attributes["loopwatch.loop.level"] == "critical"
    assert [event.attributes["loopwatch.loop.level"] for event in marks.events] == ["warning", "critical"]
    assert marks.attributes["loopwatch.loop.id"] == signal().id


@pytest.mark.parametrize(
    ("hook", "action", "dry"), [("observe", "continue", None), ("dry_run", "halt", True), ("halt", "halt", None)]
)
def test_a_loop_whose_span_has_left_is_a_log_record(hook: str, action: str, dry: bool | None) -> None:
    """With what its span would have said, linked to it."""
    it = bench(hook)
    step(it, signal(trace_id=int(RUN, 16)))
    (record,) = it.records()
    told = attributes(record.attributes)
    assert (told["loopwatch.loop.action"], told.get("loopwatch.loop.dry_run")) == (action, dry)
    assert told["loopwatch.loop.id"] == signal().id
    assert (record.trace_id.hex(), int.from_bytes(record.span_id, "big")) == (RUN, 8)


def test_ids_are_the_same_in_every_gateway() -> None:
    """So that whoever hears of a signal twice knows it."""
    ids = [looping(bench()).marks_of([WARNING, CRITICAL], "loop.id") for _ in range(2)]
    assert ids[0] == ids[1]
    assert len({*ids[0]}) == 2


def test_a_budget_that_a_turn_has_used_up_is_told_without_a_span() -> None:
    """Of a call there is none."""
    it = bench("halt")
    it.reaction.to(Seen(ModelTurn(run=RUN), (signal(),), run=RunSummary(run=RUN)), NoPage())
    assert len(it.records()) == 1
    assert it.board.decision(RUN).halts


def test_a_refused_call_is_no_call() -> None:
    """It never ran: it is marked, and not counted."""
    it, page = bench(), OnePage()
    seen = call(number=3)
    assert seen.observation is not None
    it.reaction.to(replace(seen, observation=msgspec.structs.replace(seen.observation, refused=True)), page)
    assert page.spans[3].attributes["loopwatch.call.refused"] is True
    assert it.counts(names.TOOL_CALLS.name) == {}


@pytest.mark.parametrize("reason", ["ttl", "capacity"])
def test_a_run_that_was_dropped_has_not_ended(reason: Any) -> None:
    """It is counted as that, and known no more."""
    it = bench()
    step(it, signal())
    it.reaction.to(Seen(RunEnded(RUN, reason), run=RunSummary(run=RUN)), NoPage())
    assert it.counts(names.RUN_EVICTED.name) == {(reason,): 1}
    assert it.counts(names.RUN_ENDED.name) == {}
    assert list(it.reaction.known()) == []


def test_the_end_of_a_run_that_the_engine_forgot_is_nothing() -> None:
    """Its numbers are gone."""
    it, page = bench(), OnePage()
    it.reaction.to(Seen(RunEnded(RUN, "ended", scope_span_id=1)), page)
    assert (page.spans, it.counts(names.RUN_ENDED.name)) == ({}, {})


def test_a_run_that_makes_room_is_forgotten() -> None:
    """All that was known of it."""
    it = bench()
    step(it, signal())
    it.reaction.forget(RUN)
    it.reaction.forget("of nobody")
    assert list(it.reaction.known()) == []


def test_what_is_known_of_a_run_is_bounded() -> None:
    """As many loops as an agent's span takes."""
    it = bench()
    for number in range(40):
        step(it, signal(call=number))
    (known,) = it.reaction.known()
    assert [told.call for told, _ in known.signals] == list(range(24, 40))


def test_what_is_known_goes_on_in_another_process() -> None:
    """The agent's span shows the loop of before, and the report its cause."""
    before, after, page = bench("halt"), bench("halt"), OnePage()
    step(before, signal(trace_id=int(RUN, 16)))
    saved = msgspec.msgpack.encode(list(before.reaction.known()))
    after.reaction.restore(msgspec.msgpack.decode(saved, type=list[KnownRun]))
    after.board.restore(before.board.decisions())
    after.reaction.to(replace(ended(), event=RunEnded(RUN, "ended", scope_span_id=1)), page)
    assert page.spans[1].attributes["loopwatch.loop.level"] == "critical"
    assert page.spans[1].attributes["loopwatch.run.stop_reason"] == "identical"
