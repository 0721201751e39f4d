"""OTLP/gRPC to a real server: what is sent, and what is made of each answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from gateway.downstreams import GrpcServer, certificate, in_part
from gateway.storing import TRACES
from google.protobuf import any_pb2
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RequestInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode

from otel_loopwatch.gateway.forward import Again, Outcome, Refused, Taken
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.grpcs import DETAILS, OtlpGrpc
from otel_loopwatch.gateway.signal import Request, Signal

Context = grpc.ServicerContext
Serve = Callable[..., GrpcServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers, and ends them after the test."""
    started: list[GrpcServer] = []

    def start(*answers: Any, tls: tuple[Path, Path] | None = None) -> GrpcServer:
        started.append(GrpcServer(*answers, tls=tls))
        return started[-1]

    yield start
    for server in started:
        server.close()


def failing(code: StatusCode, details: bytes | None = None) -> Callable[[Context], bytes]:
    """An answer that is an error."""

    def answer(context: Context) -> bytes:
        context.set_trailing_metadata(() if details is None else ((DETAILS, details),))
        context.abort(code, "because")

    return answer


def asking(*messages: RetryInfo | RequestInfo) -> bytes:
    """Details of a status."""
    packed = [any_pb2.Any() for _ in messages]
    for each, message in zip(packed, messages, strict=True):
        each.Pack(message)
    return bytes(Status(details=packed).SerializeToString())


def in_seconds(seconds: float) -> RetryInfo:
    """A delay."""
    return RetryInfo(retry_delay=Duration(seconds=int(seconds), nanos=round(seconds % 1 * 1e9)))


def silent(server: list[GrpcServer]) -> Callable[[Context], bytes]:
    """No answer, for longer than anybody waits."""

    def answer(context: Context) -> bytes:
        server[0].over.wait(10)
        return b""

    return answer


def test_requests_arrive_as_they_are(serve: Serve) -> None:
    """With the method of their signal and the headers of the user, compressed or not, over one connection."""
    server = serve()
    for gzip in (False, True):
        downstream = OtlpGrpc(Endpoint(url=server.url, headers={"Api-Key": "a secret"}, gzip=gzip))
        sent = [Request(signal, signal.value.encode() * 1000) for signal in Signal]
        assert [downstream.send(request) for request in sent] == [Taken()] * 3
        received = [server.script.received.get() for _ in sent]
        assert [each.path.split(".")[-1] for each in received] == [
            "TraceService/Export",
            "LogsService/Export",
            "MetricsService/Export",
        ]
        assert [each.body for each in received] == [request.body for request in sent]
        assert {each.headers["api-key"] for each in received} == {"a secret"}
        assert len({each.client for each in received}) == 1
        downstream.close()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (b"", Taken()),
        (in_part(3, "too old"), Taken(3, "too old")),
        (b"\xff\xff", Taken()),
        *(
            (failing(code), Again(code.name, None, "because"))
            for code in (
                StatusCode.CANCELLED,
                StatusCode.DEADLINE_EXCEEDED,
                StatusCode.ABORTED,
                StatusCode.OUT_OF_RANGE,
                StatusCode.UNAVAILABLE,
                StatusCode.DATA_LOSS,
            )
        ),
        *(
            (failing(code), Refused(code.name, "because"))
            for code in (
                StatusCode.UNKNOWN,
                StatusCode.INVALID_ARGUMENT,
                StatusCode.NOT_FOUND,
                StatusCode.ALREADY_EXISTS,
                StatusCode.PERMISSION_DENIED,
                StatusCode.UNAUTHENTICATED,
                StatusCode.FAILED_PRECONDITION,
                StatusCode.UNIMPLEMENTED,
                StatusCode.INTERNAL,
                StatusCode.RESOURCE_EXHAUSTED,
            )
        ),
        (
            failing(StatusCode.RESOURCE_EXHAUSTED, asking(in_seconds(7.5))),
            Again("RESOURCE_EXHAUSTED", 7.5, "because"),
        ),
        (
            failing(StatusCode.UNAVAILABLE, asking(RequestInfo(request_id="1"), in_seconds(30))),
            Again("UNAVAILABLE", 30.0, "because"),
        ),
        (failing(StatusCode.UNAVAILABLE, asking(in_seconds(-5))), Again("UNAVAILABLE", 0.0, "because")),
        (failing(StatusCode.UNAVAILABLE, asking(RequestInfo())), Again("UNAVAILABLE", None, "because")),
        (failing(StatusCode.UNAVAILABLE, b"\xff\xff"), Again("UNAVAILABLE", None, "because")),
        (failing(StatusCode.RESOURCE_EXHAUSTED, b"\xff\xff"), Refused("RESOURCE_EXHAUSTED", "because")),
        (failing(StatusCode.INVALID_ARGUMENT, asking(in_seconds(1))), Refused("INVALID_ARGUMENT", "because")),
    ],
)
def test_answers_mean_what_the_protocol_says(serve: Serve, answer: object, outcome: Outcome) -> None:
    """By the table of the specification; an exhausted server is tried again only where it says when."""
    server = serve(answer)
    downstream = OtlpGrpc(Endpoint(url=server.url))
    assert downstream.send(TRACES) == outcome
    assert server.script.received.qsize() == 1
    downstream.close()


def test_a_server_that_is_silent_or_away_is_worth_another_try(serve: Serve) -> None:
    """Past the timeout, and when it has ended."""
    servers: list[GrpcServer] = []
    servers.append(serve(silent(servers)))
    downstream = OtlpGrpc(Endpoint(url=servers[0].url, timeout_s=0.2))
    assert reason(downstream.send(TRACES)) == "DEADLINE_EXCEEDED"
    servers[0].close()
    assert reason(downstream.send(TRACES)) in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
    downstream.close()


def test_certificates_are_verified(serve: Serve, tmp_path: Path) -> None:
    """Against those the system trusts, or those of a file."""
    key, ca_file = certificate(tmp_path)
    url = serve(tls=(key, ca_file)).url.replace("http:", "https:")
    refused, taken = OtlpGrpc(Endpoint(url=url)), OtlpGrpc(Endpoint(url=url, ca_file=ca_file))
    assert reason(refused.send(TRACES)) == "UNAVAILABLE"
    assert taken.send(TRACES) == Taken()
    refused.close()
    taken.close()


def test_without_tls_an_encrypted_endpoint_is_never_reached(serve: Serve) -> None:
    """What was asked to be encrypted is not sent in the clear."""
    server = serve()
    downstream = OtlpGrpc(Endpoint(url=server.url.replace("http:", "https:"), timeout_s=5))
    assert reason(downstream.send(TRACES)) == "UNAVAILABLE"
    assert server.script.received.empty()
    downstream.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"url": "http://localhost:4317/v1/traces"}, "url is 'http://localhost:4317/...'; it must have no path"),
        ({"headers": {"Key!": "k"}}, "headers has 'Key!'; with OTLP/gRPC it must be"),
        ({"headers": {"Key-Bin": "k"}}, "headers has 'Key-Bin'; with OTLP/gRPC it must be"),
    ],
)
def test_an_endpoint_that_cannot_work_is_refused(arguments: dict[str, Any], words: str) -> None:
    """At set-up, with the rule."""
    with pytest.raises(ValueError, match=words):
        OtlpGrpc(Endpoint(**{"url": "http://localhost:4317", **arguments}))


@pytest.mark.parametrize(("host", "default"), [("127.0.0.1", False), ("[::1]", False), ("localhost", True)])
def test_an_address_is_one_of_grpc(host: str, default: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of either version, and with the protocol's port where the URL has none."""
    targets: list[str] = []
    real = grpc.insecure_channel
    monkeypatch.setattr(grpc, "insecure_channel", lambda target, *rest: targets.append(target) or real(target, *rest))
    OtlpGrpc(Endpoint(url=f"http://{host}" + ("/" if default else ":5000"))).close()
    assert targets == [f"{host}:4317" if default else f"{host}:5000"]


def reason(outcome: Outcome) -> str:
    """Of one that is worth another try."""
    assert isinstance(outcome, Again)
    return outcome.reason
