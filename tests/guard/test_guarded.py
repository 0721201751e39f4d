"""Limits of a run, its end, what is told of it on spans, and how it goes on."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest
from guard.agent import START_NS, Clock, Script, guarded
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from scripts import ROOT, script

from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.hook import halt
from otel_loopwatch.control.report import StopReport, TerminalState, Termination
from otel_loopwatch.control.run import LoopHalted
from otel_loopwatch.guard import (
    After,
    Backoff,
    Before,
    Limits,
    NotResumable,
    Result,
    ResultKind,
    Stopped,
    blocked,
    resume,
    tool,
)
from otel_loopwatch.guard.guarded import GuardedRun
from otel_loopwatch.guard.ledger import Ledger, LedgerUnavailable, open_ledger
from otel_loopwatch.guard.memory import REMEMBERED
from otel_loopwatch.model import Outcome
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.telemetry import names

SECRET = "warranty of the blue lamp"
SCHEMA = json.loads((ROOT / "otel_loopwatch/schema/stop_report.json").read_text(encoding="utf-8"))


def spend(run: GuardedRun, clock: Clock) -> None:
    """A turn of the model and a second of time."""
    run.turn(tokens=100, cost=0.5)
    clock.sleep(1)


@pytest.mark.parametrize(
    ("limits", "calls"),
    [
        ({"turns": 3}, 3),
        ({"tool_calls": 4}, 4),
        ({"seconds": 5}, 4),
        ({"tokens": 250}, 2),
        ({"cost": 1.0}, 1),
        ({}, 12),
    ],
)
def test_a_limit_is_checked_before_each_call(limits: dict[str, Any], calls: int) -> None:
    """Twelve turns with a call each: so many calls are made, and the rest is not."""
    work, clock = Script(["ok"]), Clock()
    with guarded(clock, limits=Limits(**limits)) as run:
        for number in range(12):
            spend(run, clock)
            last = run.attempt(work, {"number": number})
    assert work.count == calls
    assert last.ok == (not limits)
    if not last.ok:
        assert last.report is not None
        assert last.report.termination is Termination.BUDGET_EXHAUSTED
        assert next(iter(limits)) in last.message


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (lambda: Limits(turns=-1), "turns is -1; it must be a finite number of at least 0"),
        (lambda: Limits(seconds=float("nan")), "seconds is nan; it must be"),
        (lambda: Backoff(factor=0.5), "factor is 0.5; it must be a finite number of at least 1"),
        (lambda: Backoff(first_s=9, longest_s=3), "longest_s is 3; it must be a finite number of at least 9"),
        (lambda: guarded().__class__(""), "key is ''; it must name the task"),
    ],
)
def test_limits_that_cannot_be_are_refused(made: Any, rule: str) -> None:
    """Naming the field, its value and the rule."""
    with pytest.raises(ValueError, match=rule):
        made()


def test_waits_grow_to_their_longest() -> None:
    """1, 2, 4, then 5 seconds for ever."""
    backoff = Backoff(longest_s=5)
    assert [backoff.delay_ns(tries) / 1e9 for tries in (1, 2, 3, 4, 1000)] == [1, 2, 4, 5, 5]


def test_no_retry_is_offered_after_the_deadline() -> None:
    """What could be tried only when the time is over is not to be tried."""
    with guarded(limits=Limits(seconds=3, retry=Backoff(first_s=2))) as run:
        in_time = run.attempt(fetch := Script([TimeoutError("slow")], "fetch"), {"url": "a"})
        run._clock.sleep(2)  # type: ignore[attr-defined]
        late = run.attempt(fetch, {"url": "a"})
    assert (in_time.after, late.after) == (After.RETRY_AFTER_BACKOFF, After.STOP_PARTIAL)
    assert in_time.not_before_ns == START_NS + 2 * 10**9


def test_a_run_without_a_sleep_is_told_when_to_try_again() -> None:
    """``call`` raises, with the attempt and the report; what the tool raised is the cause."""
    with guarded() as run:
        with pytest.raises(Stopped) as stopped:
            run.call(Script([TimeoutError("slow")]), {})
        assert stopped.value.attempt.after is After.RETRY_AFTER_BACKOFF
        assert isinstance(stopped.value.__cause__, TimeoutError)
        assert run.attempt(Script(), {"other": 1}).ok


def test_what_the_model_sees() -> None:
    """The result, with advice where there is some; the message of a failure; a refusal in its marks."""
    clock, search = Clock(), Script([f"About the {SECRET} nothing is written here."], "search")
    with guarded(clock) as run:
        failed = run.attempt(parse := Script([ValueError("x")], "parse"), {}).text
        again = run.attempt(parse, {}).text
        told = run.attempt(Script([Result(ResultKind.FATAL, "no such column")], "query"), {}).text
        seen = []
        for _ in range(12):
            clock.sleep(1)
            seen.append(run.attempt(search, {"query": SECRET}).text)
    assert failed.startswith("ValueError: x\n\n[loopwatch] parse failed for good")
    assert again.startswith("[loopwatch] Not executed. parse failed for good")
    assert told.startswith("no such column\n\n[loopwatch]")
    assert seen[0] == search.results[0]
    assert any(text.startswith(seen[0]) and "[loopwatch]" in text for text in seen)
    assert seen[-1].startswith("[loopwatch]")


def test_a_halt_of_the_gate_ends_the_run() -> None:
    """Its report has what only the guard knows."""
    clock, gate = Clock(), Gate(halt, clock=Clock())
    with guarded(clock, gate=gate) as run:
        run.checkpoint("read")
        for _ in range(12):
            clock.sleep(1)
            last = run.attempt(Script(["The lamp is not here, and nobody knows where it is."], "search"), {"q": 1})
        turned = run.turn()
        stopped = run.stop("enough")
        other = run.attempt(Script(), {})
    assert last.report is not None
    assert turned is not None
    assert stopped.termination is turned.termination is last.report.termination is Termination.NO_PROGRESS
    assert stopped.checkpoint == "read"
    assert other.before is Before.STOP_PARTIAL
    assert run.exit_code == 12


@pytest.mark.parametrize(
    ("evidence", "state", "termination", "code"),
    [
        ({"receipt": "r1", "total": 0}, TerminalState.COMPLETED, Termination.COMPLETED, 0),
        ({"receipt": "r1", "total": None}, TerminalState.NEEDS_HUMAN, Termination.MISSING_EVIDENCE, 11),
        ({"receipt": ""}, TerminalState.NEEDS_HUMAN, Termination.MISSING_EVIDENCE, 11),
        (None, TerminalState.NEEDS_HUMAN, Termination.MISSING_EVIDENCE, 11),
    ],
)
def test_an_answer_needs_its_evidence(
    evidence: dict[str, object] | None, state: TerminalState, termination: Termination, code: int
) -> None:
    """Missing or empty, it is a case for a person."""
    with guarded(required_evidence=("receipt", "total")) as run:
        report = run.finish("done", evidence)
    assert (report.state, report.termination, run.exit_code) == (state, termination, code)
    assert run.stop() is report


@pytest.mark.parametrize(
    ("raised", "state", "code"),
    [(ValueError("x"), TerminalState.FAILED, 1), (None, TerminalState.PARTIAL, 10)],
)
def test_a_run_that_is_left_has_a_report(raised: Exception | None, state: TerminalState, code: int) -> None:
    """With what is done, whatever it was left by."""
    run = guarded()
    try:
        with run:
            assert run.exit_code == 10
            if raised is not None:
                raise raised
    except ValueError:
        assert raised is not None
    assert run.report is not None
    assert (run.report.state, run.exit_code) == (state, code)


def test_a_halt_within_a_tool_is_the_end_and_leaves_its_operation_in_doubt() -> None:
    """``LoopHalted`` goes through: it is what the owner of the processor asked for."""
    report = msgspec.convert(
        {"run": "r", "status": "halted", "state": "stopped_loop_guard", "termination": "no_progress",
         "reason": "a", "resume_condition": "b", "next_action": "c"},
        StopReport,
    )  # fmt: skip
    halted = LoopHalted.__new__(LoopHalted)
    halted.report = report
    ledger = open_ledger(":memory:", Clock())
    run = guarded(ledger=ledger)
    with pytest.raises(LoopHalted), run:
        run.attempt(tool(side_effect=True)(Script([halted])), {}, operation_key="k")
    assert run.report == report
    operation = ledger.get("k")
    assert operation is not None
    assert operation.state.value == "in_doubt"


class Deaf(Ledger):
    """A ledger that takes nothing down, from the claim on or after it."""

    deaf_to: str = "claim"

    def claim(self, wanted: Any) -> Any:
        """Fails where it is told to."""
        if self.deaf_to == "claim":
            raise LedgerUnavailable("The ledger was closed")
        return super().claim(wanted)

    def complete(self, key: str, owner: str, result: str | None = None) -> bool:
        """Always fails."""
        raise LedgerUnavailable("The ledger was closed")


@pytest.mark.parametrize(("deaf_to", "calls"), [("claim", 0), ("complete", 1)])
def test_without_a_ledger_no_side_effect_runs(deaf_to: str, calls: int, caplog: pytest.LogCaptureFixture) -> None:
    """One that ran and could not be taken down succeeded all the same, and does not run again."""
    ledger, pay = Deaf(open_ledger(":memory:")._journal, Clock()), Script([{"receipt": 1}])
    ledger.deaf_to = deaf_to
    with guarded(ledger=ledger) as run:
        attempts = [run.attempt(tool(name="pay", side_effect=True)(pay), {}, operation_key="k") for _ in range(3)]
    assert pay.count == calls
    assert [attempt.ok for attempt in attempts] == [bool(calls), False, False]
    assert len(caplog.records) == calls


def test_a_refused_operation_is_released() -> None:
    """It was claimed, and the gate stood in its way: nothing happened."""
    clock, ledger = Clock(), open_ledger(":memory:", Clock())
    mail = tool(name="send_mail", side_effect=True)(script := Script([{"sent": True, "to": "ada", "text": SECRET}]))
    with guarded(clock, ledger=ledger) as run:
        for number in range(12):
            clock.sleep(1)
            last = run.attempt(mail, {"to": "ada", "text": "hello"}, operation_key=f"mail-{number}")
    assert script.count < 12
    assert not last.ok
    operation = ledger.get("mail-11")
    assert operation is not None
    assert operation.state.value == "released"


def test_only_so_many_failures_are_remembered() -> None:
    """The memory of a run is bounded."""
    with guarded(clock := Clock()) as run:
        for number in range(REMEMBERED + 1):
            run._memory.ended(number, "t", ResultKind.FATAL, "t", clock())
    assert run._memory.refusal(0, clock()) is None
    assert run._memory.refusal(1, clock()) is not None


def exported(**arguments: Any) -> tuple[GuardedRun, InMemorySpanExporter]:
    """A run whose spans are kept, with our processor beside it."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(LoopwatchSpanProcessor())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return guarded(tracer_provider=provider, agent="support", **arguments), exporter


def texts(spans: tuple[ReadableSpan, ...]) -> str:
    """Everything that was exported."""
    return "".join(span.to_json() for span in spans)


@pytest.mark.parametrize("keep", [False, True])
def test_spans_follow_the_conventions_and_hold_content_only_if_asked(keep: bool) -> None:
    """An agent span around the run, one span per executed call, digests in the place of content."""
    run, exporter = exported(keep_content=keep, progress_version=3)
    with run:
        run.attempt(Script([f"about the {SECRET}"], "search"), {"query": SECRET}, call_id="c1")
        run.attempt(Script([ValueError(SECRET)], "parse"), {"text": SECRET})
        run.attempt(Script([ValueError(SECRET)], "parse"), {"text": SECRET})
        run.finish("done")
    search, parse, agent = exporter.get_finished_spans()
    assert [span.name for span in (search, parse, agent)] == [
        "execute_tool search", "execute_tool parse", "invoke_agent support",
    ]  # fmt: skip
    assert search.attributes is not None
    assert search.attributes["gen_ai.tool.call.id"] == "c1"
    assert search.attributes[names.PROGRESS_VERSION] == 3
    assert parse.attributes is not None
    assert (parse.attributes["error.type"], parse.attributes[names.CALL_OUTCOME]) == ("ValueError", "fatal")
    assert agent.attributes is not None
    assert agent.attributes[names.RUN_TERMINATION] == "completed"
    assert search.parent is not None
    assert agent.context is not None
    assert search.parent.span_id == agent.context.span_id
    assert (SECRET in texts(exporter.get_finished_spans())) == keep


def test_the_processor_sees_the_repeat_without_the_content() -> None:
    """Equal digests are equal calls with equal results; ids and clocks in results make no difference."""
    clock = Clock()
    run, exporter = exported(clock=clock, gate=Gate(clock=clock))
    with run:
        for number in range(12):
            clock.sleep(1)
            text = f"The lamp is not here, and nobody knows where it is. 2026-05-01T10:00:{number:02d}Z"
            run.attempt(Script([text], "search"), {"query": SECRET})
    last = exporter.get_finished_spans()[-2]
    assert last.attributes is not None
    assert names.RESULT_FINGERPRINT in last.attributes
    kinds = {(span.attributes or {}).get(names.LOOP_KIND) for span in exporter.get_finished_spans()}
    assert "identical" in kinds


def test_different_results_have_different_digests() -> None:
    """A digest is no id that changes by itself: a search that finds new things is no loop."""
    clock = Clock()
    run, exporter = exported(clock=clock, gate=Gate(clock=clock))
    with run:
        for number in range(12):
            clock.sleep(1)
            run.attempt(Script([f"Page {number} tells of lamp {number * 7} in the depot."], "next_page"), {})
    spans = exporter.get_finished_spans()
    assert len({(span.attributes or {}).get(names.RESULT_FINGERPRINT) for span in spans[:-1]}) == 12
    assert {(span.attributes or {}).get(names.LOOP_KIND) for span in spans} == {None}


def test_a_call_from_another_thread_is_the_agents() -> None:
    """Its span hangs below the agent's, though the thread knows of none."""
    from threading import Thread

    run, exporter = exported()
    with run:
        thread = Thread(target=lambda: run.attempt(Script(["ok"], "search"), {}))
        thread.start()
        thread.join(10)
    call, agent = exporter.get_finished_spans()
    assert call.parent is not None
    assert agent.context is not None
    assert call.parent.span_id == agent.context.span_id


def test_what_the_model_lacks_is_told() -> None:
    """On the agent span, in the report, and as what has to be given before the run may go on."""
    run, exporter = exported()
    with run:
        report = run.report_blocked(tried=SECRET, needed="the order number")
    (agent,) = exporter.get_finished_spans()
    assert [(event.name, dict(event.attributes or {})) for event in agent.events] == [
        (names.BLOCKED_EVENT, {names.BLOCKED_NEEDED: "the order number"})
    ]
    assert report.unmet_precondition == "the order number"
    assert run.exit_code == 11
    assert SECRET not in texts((agent,))
    with guarded() as outside:
        assert outside.report_blocked("a", "b").state is TerminalState.NEEDS_HUMAN


@pytest.mark.parametrize(
    ("made", "schema"),
    [
        (blocked.for_openai, lambda tool: tool["parameters"]),
        (blocked.for_openai_chat, lambda tool: tool["function"]["parameters"]),
        (blocked.for_anthropic, lambda tool: tool["input_schema"]),
        (blocked.for_mcp, lambda tool: tool["inputSchema"]),
    ],
)
def test_the_tool_of_the_blocked_is_described_for_each_api(made: Any, schema: Any) -> None:
    """A valid schema that takes ``tried`` and ``needed`` and nothing else."""
    told = schema(made())
    jsonschema.Draft202012Validator.check_schema(told)
    jsonschema.validate({"tried": "a", "needed": "b"}, told)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"tried": "a"}, told)


def test_the_published_schema_is_in_step_and_holds_for_reports() -> None:
    """Made from the class; every way to end gives a report that it describes."""
    assert script("docs/generate_schema.py").main(["--check"]) == 0
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with guarded(preconditions={"pay": "v1"}) as run:
        run.call(tool(name="pay", side_effect=True)(Script([{"receipt": 1}])), {}, operation_key="k")
        attempts = [
            run.attempt(Script([PermissionError("denied")], "pay_out"), {}),
            run.attempt(Script([ValueError("x")], "parse"), {}),
        ]
        reports = [*(attempt.report for attempt in attempts), run.stop(at=attempts[0])]
    for report in reports:
        assert report is not None
        jsonschema.validate(json.loads(report.to_json()), SCHEMA)
    assert [operation.key for operation in (run.report or reports[0]).completed_operations] == ["k"]  # type: ignore[union-attr]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"run": "x"}, SCHEMA)


def test_a_run_is_resumed_when_its_precondition_has_changed() -> None:
    """Refused as things were; afterwards only what is unfinished runs."""
    ledger = open_ledger(":memory:", Clock())
    charge, mail = Script([{"receipt": 1}]), Script([PermissionError("denied"), {"sent": True}])
    pay = tool(name="pay", side_effect=True)(charge)
    send = tool(name="send", side_effect=True, precondition="role")(mail)

    def work(run: GuardedRun) -> None:
        run.call(pay, {}, operation_key="pay")
        run.checkpoint("paid")
        run.call(send, {}, operation_key="send")

    run = guarded(ledger=ledger, preconditions={"role": "reader"})
    with pytest.raises(Stopped), run:
        work(run)
    assert run.report is not None
    for wrong in ({}, {"role": "reader"}):
        with pytest.raises(NotResumable, match="preconditions has"):
            resume(run.report, preconditions=wrong, ledger=ledger)
    again = resume(run.report.to_json(), preconditions={"role": "writer"}, ledger=ledger, clock=Clock())
    assert [operation.key for operation in again.operations.completed] == ["pay"]
    with again:
        work(again)
        report = again.finish("done")
    assert (charge.count, mail.count) == (1, 2)
    assert report.checkpoint == "paid"
    with pytest.raises(NotResumable, match="was completed"):
        resume(report, ledger=ledger)
    with pytest.raises(NotResumable, match="no stop report"):
        resume("{}")


def test_a_first_version_is_where_the_work_starts() -> None:
    """Without one at the start, the first that is declared is no progress; a lower one never is."""
    work = Script(["ok"])
    with guarded(limits=Limits(tool_calls=2)) as run:
        for version in (5, 5, 4, 5):
            run.attempt(work, {"n": 1})
            run.progress(version)
    assert work.count == 2


def test_outcomes_and_kinds_share_their_words() -> None:
    """A kind is also an outcome, as spans have it."""
    assert {kind.value for kind in ResultKind} < {outcome.value for outcome in Outcome}


def test_a_deliberate_repeat_is_no_loop_but_a_halt_holds_for_it() -> None:
    """Who allowed it is in the ledger; a run that was halted pays nothing more."""
    clock, ledger = Clock(), open_ledger(":memory:", Clock())
    pay = tool(name="pay", side_effect=True)(charge := Script([{"receipt": "r1", "of": "order 4711", "cents": 1900}]))
    with guarded(clock, ledger=ledger) as run:
        run.call(pay, {"order": 1}, operation_key="k0")
        for number in range(1, 4):
            clock.sleep(1)
            again = {"operation_key": f"k{number}", "repeats": "k0", "authorisation": "Ada"}
            run.call(pay, {"order": 1}, **again)
        paid = charge.count
        for _ in range(12):
            clock.sleep(1)
            run.attempt(Script(["The lamp is not here, and nobody knows where it is."], "search"), {"q": 1})
        halted = run.attempt(pay, {"order": 1}, operation_key="k9", repeats="k0", authorisation="Ada")
    assert (paid, charge.count) == (4, 4)
    assert halted.before is Before.STOP_PARTIAL
    operation = ledger.get("k1")
    assert operation is not None
    assert (operation.authorisation, operation.repeats) == ("Ada", "k0")


def test_a_resumed_run_needs_no_precondition_where_none_was_unmet() -> None:
    """One that was left without an answer just goes on."""
    with guarded() as run:
        run.checkpoint("read")
    assert run.report is not None
    with resume(run.report, clock=Clock()) as again:
        assert again.finish("done").checkpoint == "read"


@pytest.mark.parametrize("watched", [True, False])
def test_how_a_guarded_run_ended_is_counted(watched: bool) -> None:
    """Once: by the span processor where one watches, else by the gate."""
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    provider = TracerProvider(shutdown_on_exit=False)
    if watched:
        provider.add_span_processor(LoopwatchSpanProcessor(meter_provider=meters))
    clock = Clock()
    gate = Gate(clock=clock, meter_provider=meters)
    with guarded(clock, gate=gate, required_evidence=["invoice"], tracer_provider=provider) as run:
        run.attempt(Script(["paid by card"], "read_order"), {"order": "A"})
        run.finish("It is paid.")
    data = reader.get_metrics_data()
    assert data is not None
    metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
    ended: list[Any] = [p for m in metrics if m.name == names.RUN_ENDED.name for p in m.data.data_points if p.value]
    counted = {"loopwatch.run.status": "clean", names.RUN_TERMINATION: "missing_evidence"}
    assert [(dict(point.attributes), point.value) for point in ended] == [(counted, 1)]
