"""The gateway as a hook asks it, over real sockets."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from hooked import GO_ON, HALT, NOT_KNOWN, TAKEN, answered
from receiver import DEADLINE_S, Answer, Receiver, status

from otel_loopwatch.hooks.gateway import MAX_ANSWER_BYTES, Gateway, Halt

RUN = "0" * 31 + "7"
Starting = Callable[..., Receiver]


@pytest.fixture
def starting() -> Iterator[Starting]:
    """Starts gateways, and ends them after the test."""
    started: list[Receiver] = []

    def start(*answers: Answer, tls: ssl.SSLContext | None = None) -> Receiver:
        started.append(Receiver(*answers, tls=tls))
        return started[-1]

    yield start
    for receiver in started:
        receiver.close()


def at(receiver: Receiver, path: str = "", token: str = "") -> Gateway:
    """The receiver as a gateway."""
    return Gateway.at(f"http://127.0.0.1:{receiver.port}{path}", token, DEADLINE_S)


@pytest.mark.parametrize(
    ("url", "reached"),
    [
        ("http://gateway", ("http", "gateway", 80, "")),
        ("https://gateway.example", ("https", "gateway.example", 443, "")),
        ("http://127.0.0.1:4318/", ("http", "127.0.0.1", 4318, "")),
        ("https://[::1]:8443/loops/", ("https", "::1", 8443, "/loops")),
    ],
)
def test_a_gateway_is_named_by_its_url(url: str, reached: tuple[str, str, int, str]) -> None:
    """With the port of its scheme, and a path before those of the API."""
    assert Gateway.at(url, "", 1.0)[:4] == reached


@pytest.mark.parametrize(
    "url",
    "gateway ftp://g http:// http://g:0 http://g:65536 http://u:p@g http://g/?q http://g/#f http://g\r\nX:1".split(" "),
)
def test_what_is_no_such_url_is_refused(url: str) -> None:
    """The rule is said."""
    with pytest.raises(ValueError, match=r"gateway: .* must be an http or https URL"):
        Gateway.at(url, "", 1.0)


def test_a_token_is_shown_and_must_fit_into_a_header(starting: Starting) -> None:
    """One with a line break would be more than a token."""
    receiver = starting(GO_ON)
    at(receiver, token="s3cret").halt(RUN)
    assert receiver.request().headers["Authorization"] == "Bearer s3cret"
    with pytest.raises(ValueError, match="token: must be printable ASCII"):
        at(receiver, token="a\r\nb")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (GO_ON, None),
        (NOT_KNOWN, None),
        (HALT, Halt("ann", "Bash repeats.", "Bash repeats. Take another way.")),
        (answered(200, {"run": "r", "action": "halt", "version": 1}), Halt("", "", "")),
    ],
)
def test_a_decision_is_asked_for_by_trace(starting: Starting, answer: bytes, expected: Halt | None) -> None:
    """And only a halt is one here."""
    receiver = starting(answer)
    assert at(receiver, "/loops").halt(RUN) == expected
    request = receiver.request()
    assert request.line == f"GET /loops/v1/decisions/{RUN} HTTP/1.0"
    assert request.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["Authorization"] is None


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-x\r\n\r\n",
        status(500),
        status(401),
        answered(200, None),
        answered(200, {}),
        answered(200, {"action": 7}),
        answered(404, {"detail": "Not Found"}),
        answered(404, [1]),
        b"HTTP/1.1 200 OK\r\n\r\n{broken",
        b"HTTP/1.1 200 OK\r\n\r\n" + b" " * (MAX_ANSWER_BYTES + 1),
    ],
)
def test_an_answer_that_decides_nothing_is_an_error(starting: Starting, answer: bytes) -> None:
    """Also one of another server at that address."""
    with pytest.raises((OSError, ValueError)):
        at(starting(answer)).halt(RUN)


def test_spans_are_posted_as_json(starting: Starting) -> None:
    """To where the exporters of the SDKs post theirs."""
    receiver = starting(TAKEN)
    at(receiver).report(b'{"resourceSpans": []}')
    request = receiver.request()
    assert request.line == "POST /v1/traces HTTP/1.0"
    assert request.headers["Content-Type"] == "application/json"
    assert json.loads(request.body) == {"resourceSpans": []}


@pytest.mark.parametrize("answer", [status(503), status(404), status(307)])
def test_spans_that_are_not_taken_are_an_error(starting: Starting, answer: bytes) -> None:
    """Nothing is followed, nothing tried again: the tool waits."""
    with pytest.raises(ValueError, match="status"):
        at(starting(answer)).report(b"{}")


def test_silence_and_refusal_are_errors(starting: Starting) -> None:
    """In time."""

    def hang(_: socket.socket, over: Event) -> None:
        over.wait(DEADLINE_S)

    receiver = starting(hang)
    with pytest.raises(TimeoutError):
        Gateway.at(f"http://127.0.0.1:{receiver.port}", "", 0.05).halt(RUN)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        Gateway.at(f"http://127.0.0.1:{port}", "", 1.0).halt(RUN)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_https_is_encrypted_and_believes_no_stranger(
    starting: Starting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Certificates are looked up where OpenSSL does."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*made.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    gateway = Gateway.at(f"https://localhost:{starting(HALT, tls=context).port}", "", DEADLINE_S)
    with pytest.raises(ssl.SSLCertVerificationError):
        gateway.halt(RUN)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert gateway.halt(RUN) is not None
