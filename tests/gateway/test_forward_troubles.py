"""From the spool to real servers that are slow, refuse, are overloaded, are away, or cut connections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock

import grpc
from gateway.downstreams import GrpcServer, Handler, HttpServer, cut, half, status
from gateway.storing import DEADLINE_S, opened, request, until

from otel_loopwatch.gateway.forward import Downstream, Forwarder
from otel_loopwatch.gateway.forward.backoff import Backoff
from otel_loopwatch.gateway.forward.counts import Counts
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.grpcs import OtlpGrpc
from otel_loopwatch.gateway.forward.http import OtlpHttp

REQUESTS = 6
AWAY_S = 60.0
BODIES = [request(number).body for number in range(REQUESTS)]


class Time:
    """Passes while somebody pauses, and tells of it."""

    def __init__(self, told: Callable[[float], None] = lambda now: None) -> None:
        self.pauses: list[float] = []
        self._told = told
        self._lock = Lock()

    def wait(self, closing: Event, seconds: float) -> None:
        """No time at all, in truth."""
        with self._lock:
            self.pauses.append(seconds)
            self._told(sum(self.pauses))


@contextmanager
def forwarding(folder: Path, downstream: Downstream, time: Time, threads: int = 1) -> Iterator[Forwarder]:
    """Some requests are on their way, and at the end of the block delivered or dropped."""
    with opened(folder) as spool:
        forwarder = Forwarder(
            spool,
            downstream,
            lambda body, marks: body,
            threads=threads,
            backoff=Backoff(jitter=lambda: 1.0),
            wait=time.wait,
        )
        for number in range(REQUESTS):
            forwarder.offer(spool.append(request(number)))
        yield forwarder
        until(lambda: not forwarder.lag.waiting)
        assert spool.pending() == []
        assert forwarder.close(DEADLINE_S)


@contextmanager
def serving(*answers: Callable[[Handler], None]) -> Iterator[HttpServer]:
    """A server, ended afterwards."""
    server = HttpServer(*answers)
    try:
        yield server
    finally:
        server.close()


def test_an_overloaded_server_is_given_the_time_it_asks_for(tmp_path: Path) -> None:
    """Each refusal is a pause of that length."""
    time, busy = Time(), status(503, Retry_After="9")
    with serving(busy, busy, status(200)) as server:
        with forwarding(tmp_path, OtlpHttp(Endpoint(url=server.url)), time) as forwarder:
            assert server.script.bodies(REQUESTS + 2) == [*BODIES[:1] * 2, *BODIES]
        assert time.pauses == [9, 9]
        assert forwarder.counts == Counts(sent=REQUESTS, retried=2)


def test_a_server_that_refuses_gets_each_request_once(tmp_path: Path) -> None:
    """They are dropped, and counted."""
    time = Time()
    with serving(status(400)) as server:
        with forwarding(tmp_path, OtlpHttp(Endpoint(url=server.url)), time) as forwarder:
            assert server.script.bodies(REQUESTS) == BODIES
        assert time.pauses == []
        assert forwarder.counts == Counts(dropped=Counter({"status 400": REQUESTS}))


def test_a_server_that_cuts_connections_gets_them_again(tmp_path: Path) -> None:
    """Before its answer or in it."""
    time = Time()
    with serving(cut, half, status(200), cut, status(200)) as server:
        with forwarding(tmp_path, OtlpHttp(Endpoint(url=server.url)), time) as forwarder:
            assert server.script.bodies(REQUESTS + 3) == [*BODIES[:1] * 3, *BODIES[1:2] * 2, *BODIES[2:]]
        assert time.pauses == [1, 2, 1]
        assert forwarder.counts == Counts(sent=REQUESTS, retried=3)


def test_a_slow_server_gets_several_requests_at_once(tmp_path: Path) -> None:
    """All threads wait for it, and none longer than for its own answer."""
    answering = Event()

    def slow(handler: Handler) -> None:
        assert answering.wait(DEADLINE_S)
        status(200)(handler)

    with serving(slow) as server:
        with forwarding(tmp_path, OtlpHttp(Endpoint(url=server.url)), Time(), threads=4) as forwarder:
            assert sorted(server.script.bodies(4)) == BODIES[:4]
            assert forwarder.lag.waiting == REQUESTS
            answering.set()
            assert sorted(server.script.bodies(2)) == BODIES[4:]
        assert forwarder.counts == Counts(sent=REQUESTS)


def test_a_server_that_was_away_for_a_minute_gets_all_of_it(tmp_path: Path) -> None:
    """It is asked less and less often meanwhile."""
    with serving() as server:
        port = server.server_port
    back: list[HttpServer] = []

    def comes_back(now: float) -> None:
        if now >= AWAY_S and not back:
            back.append(HttpServer(port=port))

    time = Time(comes_back)
    with forwarding(tmp_path, OtlpHttp(Endpoint(url=server.url)), time) as forwarder:
        until(lambda: back)
        assert back[0].script.bodies(REQUESTS) == BODIES
    back[0].close()
    assert time.pauses == [1, 2, 4, 8, 16, 30]
    assert forwarder.counts == Counts(sent=REQUESTS, retried=6)


def test_a_grpc_server_that_was_overloaded_and_refuses_one(tmp_path: Path) -> None:
    """By the same rules."""

    def failing(code: grpc.StatusCode) -> Callable[[grpc.ServicerContext], bytes]:
        return lambda context: context.abort(code, "")

    time = Time()
    answers = (failing(grpc.StatusCode.UNAVAILABLE), b"", failing(grpc.StatusCode.INVALID_ARGUMENT), b"")
    server = GrpcServer(*answers)
    with forwarding(tmp_path, OtlpGrpc(Endpoint(url=server.url)), time) as forwarder:
        assert server.script.bodies(REQUESTS + 1) == [*BODIES[:1] * 2, *BODIES[1:]]
    server.close()
    assert time.pauses == [1]
    assert forwarder.counts == Counts(
        sent=REQUESTS - 1, retried=1, dropped=Counter({grpc.StatusCode.INVALID_ARGUMENT.name: 1})
    )


def test_a_grpc_server_that_was_away_for_a_minute_gets_all_of_it(tmp_path: Path) -> None:
    """The channel finds it again by itself."""
    first = GrpcServer()
    url, port = first.url, first.port
    first.close()
    back: list[GrpcServer] = []

    def comes_back(now: float) -> None:
        if now >= AWAY_S and not back:
            back.append(GrpcServer(port=port))
        Event().wait(0.01)  # the channel has a clock of its own

    time = Time(comes_back)
    with forwarding(tmp_path, OtlpGrpc(Endpoint(url=url)), time) as forwarder:
        until(lambda: back)
        assert back[0].script.bodies(REQUESTS) == BODIES
    back[0].close()
    assert sum(time.pauses) >= AWAY_S
    assert forwarder.counts.sent == REQUESTS
