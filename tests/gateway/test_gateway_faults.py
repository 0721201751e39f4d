"""The gateway's process among troubles: a downstream that is away, slow or unwilling; kills, a full store, an end."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Lock, Thread

import pytest
from gateway.agents import agent, tool, traces
from gateway.children import Child, Numbering, child, free_port
from gateway.downstreams import Answer, Handler, HttpServer, cut, half, status
from gateway.storing import DEADLINE_S, until
from gateway.whole import marks_on, nowhere, running, spans_of
from gateway.whole import post as post_to
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.cli import main
from otel_loopwatch.gateway.signal import Request
from otel_loopwatch.telemetry.names import LOOP_LEVEL as LEVEL

KILLS = int(os.environ.get("LOOPWATCH_KILLS", "2"))
"""In one test; some hundred are a good night's work."""


@pytest.fixture
def servers() -> Iterator[list[HttpServer]]:
    """Downstreams of a test, closed at its end."""
    made: list[HttpServer] = []
    yield made
    for server in made:
        server.close()


class Taken:
    """Names of the spans that a downstream took; with its first requests it does something else."""

    def __init__(self, *troubles: Answer, port: int = 0) -> None:
        self.names: Counter[str] = Counter()
        self.go = Event()
        """It answers."""
        self.go.set()
        self._troubles = list(troubles)
        self.server = HttpServer(self._answer, port=port)

    def _answer(self, handler: Handler) -> None:
        if self._troubles:
            self._troubles.pop(0)(handler)
            return
        self.go.wait(DEADLINE_S)
        self.names.update(names_in(handler.taken.body))
        status(200)(handler)


def names_in(body: bytes) -> list[str]:
    """Names of a request's spans."""
    return [span.name for span in spans_of(body).values()]


def post(gateway: Child, *bodies: bytes) -> list[int]:
    """Send requests; the answers' statuses."""
    return [gateway.post(body)[0] for body in bodies]


def numbered(*numbers: int, size: int = 10) -> list[bytes]:
    """Requests with one span each, of no agent."""
    made = []
    for number in numbers:
        body = ExportTraceServiceRequest()
        span = body.resource_spans.add().scope_spans.add().spans.add(name=f"n{number}")
        span.trace_id, span.span_id = number.to_bytes(16, "big"), number.to_bytes(8, "big")
        span.attributes.add(key="filling").value.string_value = "x" * size
        made.append(body.SerializeToString())
    return made


TROUBLES = (status(503, Retry_After="1"), status(429, Retry_After="0"), cut, half, status(502), status(504))


def test_what_a_downstream_does_not_take_now_it_is_sent_again(tmp_path: Path, servers: list[HttpServer]) -> None:
    """Until it does, whatever went wrong; nothing is lost on the way."""
    taken = Taken(*TROUBLES)
    servers.append(taken.server)
    with child(tmp_path, "--downstream", taken.server.url) as gateway:
        assert post(gateway, *numbered(*range(1, 9))) == [200] * 8
        until(lambda: len(taken.names) == 8)
        assert gateway.counted("gateway_retries_total") == len(TROUBLES)
        assert gateway.stop()[0] == 0


def test_what_a_downstream_refuses_is_dropped_and_counted(tmp_path: Path, servers: list[HttpServer]) -> None:
    """It would never take it; what comes after it goes on."""
    taken = Taken(status(400))
    servers.append(taken.server)
    with child(tmp_path, "--downstream", taken.server.url) as gateway:
        assert post(gateway, *numbered(1)) == [200]
        until(lambda: gateway.counted("gateway_dropped_total", "status 400") == 1)
        assert post(gateway, *numbered(2)) == [200]
        until(lambda: taken.names == {"n2": 1})
        assert gateway.stop()[0] == 0


def test_a_downstream_that_is_slow_holds_nobody_up(tmp_path: Path, servers: list[HttpServer]) -> None:
    """Requests are taken, and runs judged, while it does not answer; then it gets them."""
    taken = Taken()
    servers.append(taken.server)
    taken.go.clear()
    with child(tmp_path, "--downstream", taken.server.url) as gateway:
        bodies = [traces(span).body for span in (*map(tool, range(5)), agent(5))]
        assert post(gateway, *bodies) == [200] * 6
        until(lambda: gateway.counted("loop_signals_total", "critical") == 1)
        assert taken.names.total() == 0
        taken.go.set()
        until(lambda: taken.names.total() == 6)


def test_a_downstream_may_be_away(tmp_path: Path, servers: list[HttpServer]) -> None:
    """From the start on; it has everything when it is back."""
    port = free_port()
    with child(tmp_path, "--downstream", f"http://127.0.0.1:{port}") as gateway:
        assert post(gateway, *numbered(*range(1, 21))) == [200] * 20
        until(lambda: gateway.counted("gateway_waiting") == 20)
        taken = Taken(port=port)
        servers.append(taken.server)
        until(lambda: len(taken.names) == 20)
        assert gateway.stop()[0] == 0
    assert taken.names == {f"n{number}": 1 for number in range(1, 21)}


@pytest.mark.parametrize("seed", range(1))
def test_what_was_acknowledged_arrives_whenever_the_gateway_is_killed(
    tmp_path: Path, servers: list[HttpServer], seed: int
) -> None:
    """Again and again, while exporters send and try again, and the downstream has troubles of its own."""
    chance = random.Random(seed)
    taken = Taken(status(503), cut, half)
    servers.append(taken.server)
    port = free_port()
    sending = [Numbering(f"http://127.0.0.1:{port}", first) for first in (10**6, 2 * 10**6)]
    for _ in range(KILLS):
        with child(tmp_path, "--downstream", taken.server.url, port=port):  # which kills it at the end
            enough = chance.randrange(1, 60) + acknowledged(sending)
            until(lambda enough=enough: acknowledged(sending) >= enough)  # type: ignore[misc]
    with child(tmp_path, "--downstream", taken.server.url, port=port) as gateway:
        for each in sending:
            each.stop()
        until(lambda: sending[0].acknowledged | sending[1].acknowledged <= taken.names.keys())
        assert gateway.stop()[0] == 0
    assert acknowledged(sending) >= KILLS


def acknowledged(sending: list[Numbering]) -> int:
    """Spans that the gateway said it keeps."""
    return sum(len(each.acknowledged) for each in sending)


def test_an_end_delivers_everything(tmp_path: Path, servers: list[HttpServer]) -> None:
    """SIGTERM, exit code 0."""
    taken = Taken()
    servers.append(taken.server)
    with child(tmp_path, "--downstream", taken.server.url, "--window", "10") as gateway:
        assert post(gateway, *(traces(span).body for span in map(tool, range(4)))) == [200] * 4
        assert gateway.stop()[0] == 0
    assert taken.names.total() == 4


def test_what_cannot_be_delivered_at_the_end_is_at_the_next_start(tmp_path: Path, servers: list[HttpServer]) -> None:
    """Exit code 3 tells that something stays."""
    with child(tmp_path, "--downstream", nowhere()) as gateway:
        assert post(gateway, *numbered(1, 2, 3)) == [200] * 3
        assert gateway.stop()[0] == 3
    taken = Taken()
    servers.append(taken.server)
    with child(tmp_path, "--downstream", taken.server.url) as gateway:
        until(lambda: len(taken.names) == 3)
        assert gateway.stop()[0] == 0


def test_a_full_store_refuses_for_now_and_loses_nothing(tmp_path: Path, servers: list[HttpServer]) -> None:
    """Exporters get 503 and when to come again; what was acknowledged arrives, and then there is room."""
    port = free_port()
    with child(tmp_path, "--downstream", f"http://127.0.0.1:{port}", "--spool-mb", "1") as gateway:
        acknowledged = 0
        while (answer := gateway.post(*numbered(acknowledged + 1, size=100_000)))[0] == 200:
            acknowledged += 1
            assert acknowledged < 20
        assert (answer[0], int(answer[1]["Retry-After"]) >= 1) == (503, True)
        taken = Taken(port=port)
        servers.append(taken.server)
        until(lambda: len(taken.names) == acknowledged)
        until(lambda: post(gateway, *numbered(99, size=100_000)) == [200])
        assert gateway.stop()[0] == 0
    assert taken.names == {f"n{number}": 1 for number in (*range(1, acknowledged + 1), 99)}


@pytest.mark.parametrize("megabytes", [1, 0], ids=["on disk", "in memory"])
def test_a_folder_is_of_one_gateway(tmp_path: Path, megabytes: int, capfd: pytest.CaptureFixture[str]) -> None:
    """The second says so in a line, and goes."""
    second = ["--folder", str(tmp_path), "--http-port", "0", "--grpc-port", "0", "--spool-mb", str(megabytes)]
    with running(tmp_path, spool_bytes=megabytes << 20):
        assert main(["gateway", *second]) == 2
    line = capfd.readouterr().err.splitlines()[-1]
    assert line == (
        f"otel-loopwatch: folder is {str(tmp_path)!r}; it must be used by one gateway only, and another one runs"
    )


def test_without_a_downstream_there_are_files_that_can_be_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same loops are found in them, and they have the marks."""
    with child(tmp_path) as gateway:
        bodies = [traces(span).body for span in (*map(tool, range(6)), agent(6))]
        assert post(gateway, *bodies) == [200] * 7
        assert gateway.stop()[0] == 0
    out = tmp_path / "out" / "traces.jsonl"
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == 7
    assert "loopwatch.run.status" in out.read_text()
    assert main(["replay", str(out), "--json"]) == 0
    told = capsys.readouterr().out
    assert told.count('"identical"') >= 2


class Agents:
    """So many runs at once, each of eight equal calls, whose spans are sent until they are acknowledged."""

    def __init__(self, number: int, port: int) -> None:
        self.acknowledged = 0
        self.may_send = Event()
        """There is a gateway, or was a moment ago."""
        self._port = port
        self._lock = Lock()
        self._threads = [Thread(target=self._run, args=(run,), daemon=True) for run in range(1, number + 1)]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """All have ended."""
        for thread in self._threads:
            thread.join(3 * DEADLINE_S)
            assert not thread.is_alive()

    def _run(self, run: int) -> None:
        for number in range(8):
            request = traces(tool(number, trace=run, base=100 * run))
            until(lambda request=request: self._taken(request))  # type: ignore[misc]

    def _taken(self, request: Request) -> bool:
        self.may_send.wait(DEADLINE_S)
        try:
            taken = post_to(self._port, request) == 200
        except OSError:
            return False
        with self._lock:
            self.acknowledged += taken
        return taken


def test_many_runs_go_on_over_restarts(tmp_path: Path, servers: list[HttpServer]) -> None:
    """Each loop is told at its calls and at no other, wherever in it the gateway was stopped."""
    port, downstream = free_port(), HttpServer()
    servers.append(downstream)
    agents = Agents(10, port)
    for enough in (15, 45):
        with child(tmp_path, "--downstream", downstream.url, port=port) as gateway:
            agents.may_send.set()
            until(lambda enough=enough: agents.acknowledged >= enough)  # type: ignore[misc]
            assert gateway.stop()[0] == 0
            agents.may_send.clear()
    with child(tmp_path, "--downstream", downstream.url, port=port) as gateway:
        agents.may_send.set()
        agents.join()
        assert gateway.stop()[0] == 0
    bodies = [downstream.script.received.get().body for _ in range(downstream.script.received.qsize())]
    told = {span_id: marks_on(span, LEVEL) for span_id, span in spans_of(*bodies).items()}
    assert len(told) == 80
    assert Counter((span_id % 100, marks[LEVEL]) for span_id, marks in told.items() if marks) == {
        (2, "warning"): 10,
        (4, "critical"): 10,
    }
