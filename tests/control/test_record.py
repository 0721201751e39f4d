"""A halt is told outside once: as one log record and one delivery, whoever halted the run."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from live_agent import ARGUMENTS, RESULT, SIGNAL, Rig, rig
from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import InMemoryLogExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from receiver import DEADLINE_S, Receiver

from otel_loopwatch import LoopHalted, LoopwatchSpanProcessor, current_run
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.record import fields
from otel_loopwatch.control.report import StopReport, TerminalState, stop_report
from otel_loopwatch.control.webhook import webhook_for
from otel_loopwatch.model import Kind, RunSummary
from otel_loopwatch.settings import THRESHOLDS
from otel_loopwatch.telemetry import names

CALLS = THRESHOLDS[Kind.IDENTICAL].critical + 1


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """One that takes everything."""
    started = Receiver()
    yield started
    started.close()


Halts = Callable[[], list[logging.LogRecord]]


@pytest.fixture
def halts(caplog: pytest.LogCaptureFixture) -> Halts:
    """Gives the records of halts so far."""
    return lambda: [record for record in caplog.records if hasattr(record, "loopwatch_stop_report")]


def loop(bench: Rig) -> None:
    """The same call over and over, past the critical signal."""
    for _ in range(CALLS):
        bench.call()


def gated_loop(bench: Rig, gate: Gate) -> None:
    """The same, by way of a gate, which also has the calls on spans."""
    run = gate.run("run")
    for _ in range(CALLS):
        passing = run.before("search_docs", ARGUMENTS)
        run.after(passing, RESULT)
        bench.call()


def halted(bench: Rig) -> None:
    """A run that is halted."""
    with bench.agent():
        loop(bench)
        assert current_run().halted


@contextmanager
def handled_by(handler: logging.Handler) -> Iterator[None]:
    """Our log, with one more handler."""
    log = logging.getLogger(names.SCOPE)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def gate(control: Any = "halt", **arguments: Any) -> Gate:
    """A gate with meters of its own."""
    return Gate(control, meter_provider=MeterProvider(shutdown_on_exit=False), **arguments)


def delivered(receiver: Receiver, url: str) -> list[dict[str, Any]]:
    """What arrived once nothing is on its way any more."""
    webhook = webhook_for(LoopwatchSpanProcessor(webhook={"url": url}).options.webhook)
    assert webhook is not None
    assert webhook.flush(DEADLINE_S)
    return [json.loads(receiver.requests.get_nowait().body) for _ in range(receiver.requests.qsize())]


def test_the_record_holds_the_whole_report(halts: Halts) -> None:
    """One sentence for people, the report as JSON, and what one would search for as fields."""
    bench = rig(control_hook="halt")
    with bench.agent():
        loop(bench)
        report = current_run().report()
    (record,) = halts()
    held = json.loads(record.__dict__["loopwatch_stop_report"])
    assert report is not None
    assert (record.name, record.levelname) == (names.SCOPE, "ERROR")
    assert record.getMessage() == f"Run halted: {report.reason}"
    assert held["run"] == record.__dict__["loopwatch_run"] == report.run
    assert (held["status"], held["stop_reason"]) == ("halted", "identical")
    assert record.__dict__["loopwatch_stop_reason"] == "identical"
    assert record.__dict__["loopwatch_tools"] == ("search_docs",)
    assert record.__dict__["loopwatch_exit_code"] == TerminalState.STOPPED_LOOP_GUARD.exit_code


def test_what_is_not_known_is_left_out() -> None:
    """A log attribute has no null, and a run may be stopped for something else than a loop."""
    of_loop = stop_report(SIGNAL, RunSummary(run="run"))
    other = {name: getattr(of_loop, name) for name in StopReport.__slots__} | {"stop_reason": None}
    assert set(fields(of_loop)) - set(fields(StopReport(**other))) == {"loopwatch_stop_reason"}
    assert None not in fields(of_loop).values()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_opentelemetry_exports_the_record() -> None:
    """The SDK's handler carries the fields as attributes, so that a log backend can search them."""
    exporter, provider = InMemoryLogExporter(), LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    with handled_by(LoggingHandler(logging.ERROR, provider)):
        halted(rig(control_hook="halt"))
    exported = [log.log_record for log in exporter.get_finished_logs()]
    (halt,) = [one for one in exported if "loopwatch_stop_report" in (one.attributes or {})]
    assert halt.severity_number is SeverityNumber.ERROR
    assert halt.attributes is not None
    assert json.loads(str(halt.attributes["loopwatch_stop_report"]))["status"] == "halted"
    assert halt.attributes["loopwatch_tools"] == ("search_docs",)


@pytest.mark.parametrize("processors", [1, 2])
def test_a_halt_of_processors_is_told_once(receiver: Receiver, halts: Halts, processors: int) -> None:
    """However many watch and would halt; a run that goes on afterwards is not told of again."""
    bench = rig(control_hook="halt", webhook={"url": receiver.url})
    for _ in range(processors - 1):
        bench.provider.add_span_processor(LoopwatchSpanProcessor(control_hook="halt", webhook={"url": receiver.url}))
    with bench.agent():
        loop(bench)
        loop(bench)
    (report,) = delivered(receiver, receiver.url)
    assert report["status"] == "halted"
    assert len(halts()) == 1


@pytest.mark.parametrize("gates_own", [True, False])
@pytest.mark.parametrize("processors_own", [True, False])
def test_a_halt_of_a_gate_in_a_watched_run_is_told_once(
    receiver: Receiver, halts: Halts, gates_own: bool, processors_own: bool
) -> None:
    """Whichever of the two has the webhook, and where both have it, only once."""
    webhook = {"url": receiver.url}
    bench = rig(control_hook="halt", webhook=webhook if processors_own else None)
    with bench.agent():
        bench.call("read_file", "{}", "what it said")
        gated_loop(bench, gate(webhook=webhook if gates_own else None))
        assert current_run().halted
    assert len(delivered(receiver, receiver.url)) == int(gates_own or processors_own)
    assert len(halts()) == 1


def test_a_halt_of_a_gate_alone_is_told_once(receiver: Receiver, halts: Halts) -> None:
    """Where no processor watches."""
    run = gate(webhook={"url": receiver.url}).run("run-7")
    for _ in range(CALLS):
        run.after(run.before("search_docs", ARGUMENTS), RESULT)
    (report,) = delivered(receiver, receiver.url)
    assert report["run"] == "run-7"
    assert len(halts()) == 1


@pytest.mark.parametrize("control", ["observe", "dry_run"])
def test_nothing_is_told_of_a_run_that_goes_on(receiver: Receiver, halts: Halts, control: str) -> None:
    """Neither where nothing is halted nor where it only would have been."""
    bench = rig(control_hook=control, webhook={"url": receiver.url})
    with bench.agent():
        loop(bench)
    assert delivered(receiver, receiver.url) == []
    assert len(halts()) == 0


def test_a_halt_after_go_on_is_told_again(receiver: Receiver, halts: Halts) -> None:
    """Somebody lifted the halt, and the run got into the next loop: that is news."""
    bench = rig(control_hook="halt", webhook={"url": receiver.url})
    with bench.agent():
        loop(bench)
        current_run().go_on()
        for _ in range(CALLS):
            bench.call("list_orders", '{"year": 2026}', "Two kettles, sent in May")
    assert len(delivered(receiver, receiver.url)) == 2
    assert len(halts()) == 2


def test_a_handler_that_fails_does_not_keep_the_run_from_being_halted(caplog: pytest.LogCaptureFixture) -> None:
    """The failure is counted, the run is halted and counted as such."""

    class Failing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if hasattr(record, "loopwatch_stop_report"):
                raise RuntimeError("disk full")

    bench = rig(control_hook="halt")
    with handled_by(Failing()):
        halted(bench)
    assert bench.counts("loopwatch.run.halts") == {("search_docs", "identical"): 1}
    assert bench.counts("loopwatch.processor.failures") == {("RuntimeError",): 1}


def test_scripts_get_an_exit_code() -> None:
    """0 until the run is halted, then that of the stop report."""
    bench = rig(control_hook="halt")
    with bench.agent():
        assert current_run().exit_code == 0
        loop(bench)
        assert current_run().exit_code == TerminalState.STOPPED_LOOP_GUARD.exit_code
        with pytest.raises(LoopHalted):
            current_run().raise_if_halted()


def test_an_unwatched_run_has_exit_code_zero() -> None:
    """Nothing is known against it."""
    assert current_run().exit_code == 0
