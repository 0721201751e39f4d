"""Real OTLP servers on loopback that answer as a test tells them to, well or badly."""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Event, Lock, Thread
from typing import Any

import grpc
import pytest
from gateway.storing import DEADLINE_S
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse


@dataclass(frozen=True, slots=True)
class Received:
    """A request that came in."""

    path: str
    headers: Message | dict[str, Any]
    body: bytes
    """Decompressed."""
    client: object
    """The same for all requests of one connection."""


Answer = Callable[["Handler"], None]
"""What is done with the connection when a request was read."""


class Script:
    """Answers in turn, the last one from then on; may be asked from any thread."""

    def __init__(self, answers: Iterable[Any]) -> None:
        self.received: Queue[Received] = Queue()
        self._answers = list(answers)
        self._lock = Lock()

    def next(self) -> Any:
        """The next answer."""
        with self._lock:
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def bodies(self, count: int) -> list[bytes]:
        """Those of the next requests; waits for them."""
        return [self.received.get(timeout=DEADLINE_S).body for _ in range(count)]


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: HttpServer
    taken: Received
    """What is to be answered."""

    def do_POST(self) -> None:
        """Take a request in and answer it."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        self.taken = Received(self.path, self.headers, body, self.client_address)
        self.server.script.received.put(self.taken)
        self.server.script.next()(self)

    def log_message(self, *arguments: object) -> None:
        """Nothing is printed."""


class HttpServer(ThreadingHTTPServer):
    """Serves from its start to its close."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *answers: Answer, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.script = Script(answers or (status(200),))
        self.over = Event()
        self._thread = Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Without a path."""
        return f"http://127.0.0.1:{self.server_port}"

    def close(self) -> None:
        """End it."""
        self.over.set()
        self.shutdown()
        self.server_close()
        self._thread.join(DEADLINE_S)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients may go away."""


def status(code: int, body: bytes = b"", **headers: str) -> Answer:
    """A whole answer."""

    def answer(handler: Handler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def cut(handler: Handler) -> None:
    """No answer; the connection ends."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def half(handler: Handler) -> None:
    """The connection ends in the middle of an answer."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
    cut(handler)


def nonsense(handler: Handler) -> None:
    """No HTTP."""
    handler.wfile.write(b"220 mail.example ESMTP\r\n")
    cut(handler)


def silent(handler: Handler) -> None:
    """No answer, for longer than anybody waits."""
    handler.server.over.wait(DEADLINE_S)


def certificate(folder: Path) -> tuple[Path, Path]:
    """A key, and the certificate by which this machine vouches for it."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=downstream"
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    return key, certificate


def in_part(rejected: int, message: str) -> bytes:
    """The answer to spans of which some were rejected."""
    response = ExportTraceServiceResponse()
    response.partial_success.rejected_spans = rejected
    response.partial_success.error_message = message
    return response.SerializeToString()


class GrpcServer(grpc.GenericRpcHandler):
    """Serves all methods; an answer is bytes, or is called with the context of the call."""

    def __init__(
        self,
        *answers: bytes | Callable[[grpc.ServicerContext], bytes],
        tls: tuple[Path, Path] | None = None,
        port: int = 0,
    ) -> None:
        self.script = Script(answers or (b"",))
        self.over = Event()
        self._server = grpc.server(ThreadPoolExecutor(4), (self,), options=(("grpc.so_reuseport", 0),))
        if tls is None:
            self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        else:
            credentials = grpc.ssl_server_credentials([(tls[0].read_bytes(), tls[1].read_bytes())])
            self.port = self._server.add_secure_port("127.0.0.1:0", credentials)
        self._server.start()

    @property
    def url(self) -> str:
        """As an endpoint."""
        return f"http://127.0.0.1:{self.port}"

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        """What handles a call."""

        def handle(body: bytes, context: grpc.ServicerContext) -> bytes:
            headers = dict(context.invocation_metadata())
            self.script.received.put(Received(details.method, headers, body, context.peer()))
            answer = self.script.next()
            return answer(context) if callable(answer) else answer

        return grpc.unary_unary_rpc_method_handler(handle)

    def close(self) -> None:
        """End it."""
        self.over.set()
        self._server.stop(None).wait(DEADLINE_S)
