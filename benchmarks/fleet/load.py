"""Sends requests, takes what is forwarded, and looks at the clock."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import TemporaryDirectory
from threading import Condition, Thread

from .process import cpu_s

PATIENCE_S = 300.0
SENDERS = 4
HEADERS = {"Content-Type": "application/x-protobuf"}


class Sink:
    """A downstream that takes everything: how many requests, and when each came."""

    def __init__(self) -> None:
        self.came: list[float] = []
        self._changed = Condition()
        sink = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Take it."""
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", HEADERS["Content-Type"])
                self.send_header("Content-Length", "0")
                self.end_headers()
                sink.take()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self) -> None:
        """One more came."""
        with self._changed:
            self.came.append(time.perf_counter())
            self._changed.notify_all()

    def wait(self, number: int) -> None:
        """Until so many came."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.came) >= number, PATIENCE_S):
                raise TimeoutError(f"{len(self.came)} of {number} requests came through")

    def close(self) -> None:
        """Take nothing more."""
        self._server.shutdown()
        self._server.server_close()


class Served:
    """The process between."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self._process = process
        self._port = port

    @property
    def cpu_s(self) -> float:
        """CPU time so far, of all its threads."""
        return cpu_s(self._process.pid)

    def send(self, bodies: Sequence[bytes]) -> None:
        """Over a few connections at once."""
        with ThreadPoolExecutor(SENDERS) as pool:
            list(pool.map(self._send_all, [bodies[start::SENDERS] for start in range(SENDERS)]))

    def send_one(self, connection: HTTPConnection, body: bytes) -> None:
        """Until it is acknowledged."""
        connection.request("POST", "/v1/traces", body, HEADERS)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"answered {answer.status}")

    def connection(self) -> HTTPConnection:
        """To the process."""
        return HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)

    def _send_all(self, bodies: Sequence[bytes]) -> None:
        connection = self.connection()
        for body in bodies:
            self.send_one(connection, body)
        connection.close()


@contextmanager
def served(kind: str, sink: Sink, window_s: float) -> Iterator[Served]:
    """A gateway, or plain forwarding, that sends on to the sink."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.fleet.served", kind, sink.url, folder, str(window_s)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603
            try:
                yield Served(process, int(process.stdout.readline() if process.stdout else ""))
            finally:
                process.terminate()
