"""`otel-loopwatch gateway` as a process of its own, to be stopped and killed; an exporter that numbers its spans."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread

from gateway.storing import DEADLINE_S, until
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
END_S = 30
"""For a process to end by itself."""


def free_port() -> int:
    """One that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


@dataclass(slots=True)
class Child:
    """A gateway's process."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        """Of OTLP/HTTP."""
        return f"http://127.0.0.1:{self.port}"

    def healthy(self) -> bool:
        """Whether it takes requests."""
        try:
            return self._ask("GET", "/healthz")[0] == 200
        except OSError:
            assert self.process.poll() is None, self.process.stderr and self.process.stderr.read()
            return False

    def counted(self, metric: str, label: str = "") -> float:
        """What it counts, as Prometheus reads it: the sum of a metric's points, of those with this label value."""
        lines = self._ask("GET", "/metrics")[2].splitlines()
        points = [line for line in lines if line.startswith(f"loopwatch_{metric}{{") and f'"{label}' in line]
        return sum(float(line.rpartition(" ")[2]) for line in points)

    def post(self, body: bytes) -> tuple[int, Message]:
        """Send a request of spans; status and headers of the answer."""
        return self._ask("POST", "/v1/traces", body)[:2]

    def _ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Message, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            connection.request(method, path, body, {"Content-Type": "application/x-protobuf"})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode(errors="replace")
        finally:
            connection.close()

    def stop(self) -> tuple[int, str]:
        """Have it drain; its exit code, and what it said."""
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=END_S)
        return self.process.returncode, said


@contextmanager
def child(folder: Path, *arguments: str, port: int = 0) -> Iterator[Child]:
    """A gateway that takes requests while the block lasts; killed where it is still there then."""
    port = port or free_port()
    command = [sys.executable, "-m", "otel_loopwatch", "gateway", "--folder", str(folder), "--http-port", str(port)]
    process = subprocess.Popen(
        [*command, "--no-grpc", "--metrics-every", "0", "--window", "0.02", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=CLEAN,
    )
    made = Child(process, port)
    try:
        until(made.healthy)
        yield made
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


class Numbering:
    """Exports spans named by numbers, one per request, with an exporter of the SDK, until it is told to stop."""

    def __init__(self, url: str, first: int) -> None:
        self.acknowledged: set[str] = set()
        self._exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces", timeout=5)
        self._tracer = TracerProvider(shutdown_on_exit=False).get_tracer("numbers")
        self._next = first
        self._over = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Send no more."""
        self._over.set()
        self._exporter.shutdown()
        self._thread.join(END_S)
        assert not self._thread.is_alive()

    def _work(self) -> None:
        while not self._over.is_set():
            span = self.span()
            if self._exporter.export([span]) is SpanExportResult.SUCCESS:
                self.acknowledged.add(span.name)

    def span(self) -> ReadableSpan:
        """The next one."""
        self._next += 1
        with self._tracer.start_as_current_span(f"n{self._next}") as span:
            pass
        assert isinstance(span, ReadableSpan)
        return span
