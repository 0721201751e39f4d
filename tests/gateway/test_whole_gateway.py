"""A whole gateway: what goes in and what comes out, over every way in and out."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from gateway.agents import AGENT_SPAN, agent, codex, plain, tool, traces
from gateway.children import free_port
from gateway.downstreams import GrpcServer, HttpServer
from gateway.storing import DEADLINE_S, until
from gateway.test_judging import LOGS, METRICS
from gateway.whole import marks_on, nowhere, post, running, spans_of
from live_agent import ARGUMENTS, Rig, rig
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_loopwatch.cli import main
from otel_loopwatch.config import load
from otel_loopwatch.gateway.forward import forwarder
from otel_loopwatch.gateway.forward.backoff import Backoff
from otel_loopwatch.gateway.settings import GatewaySettings, Transport
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.otlp import jsons
from otel_loopwatch.otlp.values import attributes

UNMARKED = (
    Request(Signal.METRICS, METRICS.SerializeToString()),
    Request(Signal.LOGS, LOGS.SerializeToString()),
    codex(1),
    traces(plain(1), plain(2)),
)
LOOPING = (*(traces(tool(number)) for number in range(6)), traces(agent(6)))
QUICK = Backoff(first_s=0.001, longest_s=0.001, longest_asked_s=0.001)


@pytest.fixture(params=[HttpServer, GrpcServer], ids=["HTTP", "gRPC"])
def downstream(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Takes everything, over either transport."""
    made = request.param()
    yield made
    made.close()


def bodies(downstream: Any) -> list[bytes]:
    """What arrived since this was asked last."""
    return [downstream.script.received.get().body for _ in range(downstream.script.received.qsize())]


def transport(downstream: Any) -> Transport:
    """How it is sent to."""
    return Transport.GRPC if isinstance(downstream, GrpcServer) else Transport.HTTP


@pytest.mark.parametrize("kept", [{}, {"spool_bytes": 0}], ids=["on disk", "in memory"])
def test_what_has_no_marks_arrives_byte_for_byte(tmp_path: Path, downstream: Any, kept: dict[str, int]) -> None:
    """Metrics, log records, tool events, spans of no agent."""
    with running(tmp_path, downstream.url, transport=transport(downstream), **kept) as gateway:
        assert [gateway.post(request) for request in UNMARKED] == [200] * len(UNMARKED)
    assert gateway.delivered
    assert sorted(bodies(downstream)) == sorted(request.body for request in UNMARKED)


def test_marked_spans_arrive_with_all_that_they_had(tmp_path: Path, downstream: Any) -> None:
    """The marks come on top."""
    with running(tmp_path, downstream.url, transport=transport(downstream), grpc_port=None) as gateway:
        assert [gateway.post(request) for request in LOOPING] == [200] * len(LOOPING)
        assert gateway.gateway.grpc_port is None
    arrived, sent = spans_of(*bodies(downstream)), spans_of(*(request.body for request in LOOPING))
    assert arrived.keys() == sent.keys()
    for span_id, span in arrived.items():
        before = attributes(sent[span_id].attributes)
        assert attributes(span.attributes) == {**before, **marks_on(span, "loopwatch.")}
    assert marks_on(arrived[AGENT_SPAN], "loopwatch.run.status") == {"loopwatch.run.status": "looped"}


def test_loops_of_tool_events_arrive_as_log_records(tmp_path: Path, downstream: Any) -> None:
    """Beside the events."""
    with running(tmp_path, downstream.url, transport=transport(downstream)) as gateway:
        assert [gateway.post(codex(number)) for number in range(4)] == [200] * 4
    requests = map(ExportLogsServiceRequest.FromString, bodies(downstream))
    names = [record.event_name for each in requests for record in each.resource_logs[0].scope_logs[0].log_records]
    assert sorted(names) == [""] * 4 + ["loopwatch.loop"]


def test_one_gateway_may_forward_to_another(tmp_path: Path) -> None:
    """Both judge; each loop is told once. The last one writes files."""
    with running(tmp_path / "last") as last:
        with running(tmp_path / "first", last.url, load(control="halt", env={})) as first:
            assert [first.post(request) for request in (*LOOPING, *UNMARKED)] == [200] * 11
        assert first.delivered
    assert last.delivered
    lines = {path.name: path.read_bytes().splitlines() for path in (tmp_path / "last" / "out").iterdir()}
    assert {name: len(found) for name, found in lines.items()} == {
        "traces.jsonl": 8, "logs.jsonl": 2, "metrics.jsonl": 1,
    }  # fmt: skip
    parsed = [jsons.parse(ExportTraceServiceRequest, line) for line in lines["traces.jsonl"]]
    agent_span = spans_of(*(each.SerializeToString() for each in parsed))[AGENT_SPAN]
    assert marks_on(agent_span, "loopwatch.run.status") == {"loopwatch.run.status": "halted"}
    assert [event.name for event in agent_span.events] == ["loopwatch.loop"] * 2


def looping_agent(it: Rig) -> None:
    """Asks the same thing five times."""
    with it.agent():
        for _ in range(5):
            it.call("search_docs", ARGUMENTS)


def test_a_process_may_judge_by_itself_as_well(tmp_path: Path, downstream: Any) -> None:
    """What its processor halted the gateway leaves halted, and each loop is told by one event."""
    it = rig(control_hook="halt")
    with running(tmp_path, downstream.url, transport=transport(downstream)) as gateway:
        exporter = OTLPSpanExporter(endpoint=f"{gateway.url}/v1/traces")
        it.provider.add_span_processor(SimpleSpanProcessor(exporter))
        looping_agent(it)
    arrived = spans_of(*bodies(downstream)).values()
    (run,) = (span for span in arrived if span.name.startswith("invoke_agent"))
    assert marks_on(run, "loopwatch.run.status", "loopwatch.loop.action") == {
        "loopwatch.run.status": "halted", "loopwatch.loop.action": "halt",
    }  # fmt: skip
    told = [event.name for span in arrived for event in span.events if event.name == "loopwatch.loop"]
    assert len(told) == 2 * 2


def test_an_outage_costs_memory_for_nothing_but_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of tries long: judging goes on, and what waits is a few bytes per call."""
    monkeypatch.setattr(forwarder, "Backoff", lambda: QUICK)
    with running(tmp_path, nowhere(), drain_s=0.5) as gateway:
        for number in range(60):
            assert gateway.post(traces(tool(number, ask=f"question {number} of many {'x' * 2000}"))) == 200
        until(lambda: gateway.gateway._forwarder.lag.waiting == 60)
        until(lambda: gateway.gateway._forwarder.counts.retried > 300)
        assert gateway.gateway._judging.held == 0
        left = gateway.gateway._forwarder.left()
    assert gateway.delivered is False
    assert sum(map(len, left.values())) < 60 * 250


def listens(port: int) -> bool:
    """Whether somebody does."""
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It says where, and its exit code whether all was delivered."""
    port, downstream = free_port(), HttpServer()

    def stop() -> None:
        until(lambda: listens(port))
        post(port, traces(tool(1)))
        os.kill(os.getpid(), signal.SIGTERM)

    thread = Thread(target=stop)
    thread.start()
    arguments = ["--folder", str(tmp_path), "--http-port", str(port), "--grpc-port", "0", "--metrics-every", "0"]
    arguments += ["--downstream", downstream.url]
    try:
        assert main(["gateway", *arguments]) == 0
    finally:
        thread.join(DEADLINE_S)
        downstream.close()
    said = capfd.readouterr().err.splitlines()
    assert len(spans_of(*bodies(downstream))) == 1
    assert f"OTLP/HTTP, API and page: http://127.0.0.1:{port}" in said
    assert any(line.startswith("OTLP/gRPC: http://127.0.0.1:") for line in said)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"http_port": 65_536}, "http_port is 65536; it must be from 0 to 65535"),
        ({"grpc_port": -1}, "grpc_port is -1; it must be from 0 to 65535"),
        ({"window_s": 60.5}, "window_s is 60.5; it must be from 0 to 60"),
        ({"window_s": float("nan")}, "window_s is nan; it must be from 0 to 60"),
        ({"metrics_s": 90_000}, "metrics_s is 90000; it must be from 0 to 86400"),
        ({"spool_bytes": -1}, "spool_bytes is -1; it must be at least 0"),
        ({"spool_bytes": float("inf")}, "spool_bytes is inf; it must be at least 0"),
        ({"memory_bytes": 0}, "memory_bytes is 0; it must be at least 1048576"),
        ({"drain_s": -0.1}, "drain_s is -0.1; it must be at least 0"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], why: str) -> None:
    """Naming the field, its value and the rule."""
    with pytest.raises(ValueError, match=why):
        GatewaySettings(**settings)
