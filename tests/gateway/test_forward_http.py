"""OTLP/HTTP to real servers, good and bad: what is sent, and what is made of each answer."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path

import pytest
from gateway.downstreams import Answer, HttpServer, certificate, cut, half, in_part, nonsense, silent, status
from gateway.storing import TRACES
from google.rpc.status_pb2 import Status

from otel_loopwatch.gateway.forward import Again, Outcome, Refused, Taken
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.http import MAX_ANSWER_BYTES, OtlpHttp
from otel_loopwatch.gateway.signal import Request, Signal

NOW = 1_780_000_000.0
BROKEN = Status(message="no span here").SerializeToString()

Serve = Callable[..., HttpServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers, and ends them after the test."""
    started: list[HttpServer] = []

    def start(*answers: Answer, tls: ssl.SSLContext | None = None) -> HttpServer:
        started.append(HttpServer(*answers, tls=tls))
        return started[-1]

    yield start
    for server in started:
        server.close()


def test_requests_arrive_as_they_are(serve: Serve) -> None:
    """At the path of their signal, with the headers of the user, over one connection."""
    server = serve()
    downstream = OtlpHttp(Endpoint(url=server.url + "/otlp/", headers={"Api-Key": "a secret"}))
    sent = [Request(signal, signal.value.encode()) for signal in Signal]
    assert [downstream.send(request) for request in sent] == [Taken()] * 3
    received = [server.script.received.get() for _ in sent]
    assert [each.path for each in received] == ["/otlp/v1/traces", "/otlp/v1/logs", "/otlp/v1/metrics"]
    assert [each.body for each in received] == [request.body for request in sent]
    assert {each.headers["Content-Type"] for each in received} == {"application/x-protobuf"}
    assert {each.headers["Api-Key"] for each in received} == {"a secret"}
    assert {each.headers["Content-Encoding"] for each in received} == {None}
    assert len({each.client for each in received}) == 1
    downstream.close()


def test_bodies_are_compressed_by_choice(serve: Serve) -> None:
    """And said to be."""
    server = serve()
    request = TRACES._replace(body=b"the same " * 1000)
    assert OtlpHttp(Endpoint(url=server.url, gzip=True)).send(request) == Taken()
    received = server.script.received.get()
    assert received.body == request.body
    assert int(received.headers["Content-Length"]) < 200


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (status(200), Taken()),
        (status(202), Taken()),
        (status(200, in_part(3, "too old")), Taken(3, "too old")),
        (status(200, in_part(0, "mind the date")), Taken(0, "mind the date")),
        (status(200, b"\xff\xff"), Taken()),
        (status(200, bytes(2 * MAX_ANSWER_BYTES)), Taken()),
        (status(200, b"no gzip", Content_Encoding="gzip"), Taken()),
        (status(400, BROKEN), Refused("status 400", "no span here")),
        (status(400, b"\xff\xff"), Refused("status 400")),
        (status(301, Location="http://127.0.0.1:1/"), Refused("status 301")),
        *((status(code), Refused(f"status {code}")) for code in (401, 403, 404, 408, 413, 500, 501)),
        *((status(code), Again(f"status {code}")) for code in (429, 502, 503, 504)),
        (status(503, BROKEN, Retry_After="7"), Again("status 503", 7.0, "no span here")),
        (status(429, Retry_After=formatdate(NOW + 90, usegmt=True)), Again("status 429", 90.0)),
        (status(429, Retry_After="soon"), Again("status 429")),
        (status(400, Retry_After="7"), Refused("status 400")),
    ],
)
def test_answers_mean_what_the_protocol_says(serve: Serve, answer: Answer, outcome: Outcome) -> None:
    """Four statuses are worth another try, all others are final; a partial success wants nothing again."""
    server = serve(answer)
    assert OtlpHttp(Endpoint(url=server.url), clock=lambda: NOW).send(TRACES) == outcome
    assert server.script.received.qsize() == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(cut, "ProtocolError"), (half, "ProtocolError"), (nonsense, "ProtocolError"), (silent, "ReadTimeoutError")],
)
def test_a_broken_connection_is_worth_another_try(serve: Serve, answer: Answer, reason: str) -> None:
    """Cut, in the middle of the answer or before it, not speaking HTTP, or silent; the next request is well again."""
    server = serve(answer, status(200))
    downstream = OtlpHttp(Endpoint(url=server.url, timeout_s=0.3))
    outcome = downstream.send(TRACES)
    assert isinstance(outcome, Again)
    assert outcome.reason == reason
    assert downstream.send(TRACES) == Taken()


def test_a_server_that_is_away_is_worth_another_try(serve: Serve) -> None:
    """Nobody listens."""
    server = serve()
    server.close()
    outcome = OtlpHttp(Endpoint(url=server.url)).send(TRACES)
    assert isinstance(outcome, Again)
    assert outcome.reason == "NewConnectionError"


def test_certificates_are_verified(serve: Serve, tmp_path: Path) -> None:
    """Against those the system trusts, or those of a file."""
    key, ca_file = certificate(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(ca_file, key)
    server = serve(tls=tls)
    url = server.url.replace("http:", "https:")
    refused = OtlpHttp(Endpoint(url=url)).send(TRACES)
    assert isinstance(refused, Again)
    assert refused.reason == "SSLError"
    assert OtlpHttp(Endpoint(url=url, ca_file=ca_file)).send(TRACES) == Taken()
    assert server.script.bodies(1) == [TRACES.body]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"url": "localhost:4318"}, r"url is 'localhost:4318'|url is '\.\.\.'"),
        ({"url": "ftp://host"}, "url is 'ftp://host/...'; it must be http or https"),
        ({"url": "http://user:key@host"}, "url is 'http://host/...'; it must"),
        ({"url": "http://host:port"}, "url is 'http://host:port/...'; it must"),
        ({"url": "http://host/?key=1"}, "url is 'http://host/...'; it must"),
        ({"url": "http://"}, "url is 'http:///...'; it must"),
        ({"headers": {"Api Key": "k"}}, "headers has 'Api Key'"),
        ({"headers": {"Api-Key": "k\r\nHost: other"}}, "headers has 'Api-Key'; a header must"),
        ({"timeout_s": 0}, "timeout_s is 0; it must"),
        ({"ca_file": Path("/nowhere.pem")}, "ca_file is '/nowhere.pem'; it must hold certificates in PEM"),
        ({"ca_file": Path(__file__)}, "ca_file is .*; it must hold certificates in PEM"),
    ],
)
def test_an_endpoint_that_cannot_work_is_refused(arguments: dict[str, object], words: str) -> None:
    """At set-up, with the rule, and without the secrets in it."""
    with pytest.raises(ValueError, match=words) as caught:
        Endpoint(**{"url": "http://localhost:4318", **arguments})  # type: ignore[arg-type]
    assert "key@" not in str(caught.value)
    assert "Host: other" not in str(caught.value)
