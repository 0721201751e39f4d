"""A real HTTP receiver on loopback that answers as a test tells it to, well or badly."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from queue import Queue
from threading import Event, Thread

DEADLINE_S = 10.0
"""For what another thread does: reached only where it does not."""

Answer = bytes | Callable[[socket.socket, Event], None]
"""What is sent back; or what is done with the connection, and an event that is set when the test is over."""


@dataclass(frozen=True, slots=True)
class Request:
    """What came in."""

    line: str
    headers: Message
    body: bytes


def status(code: int, *headers: str) -> bytes:
    """An answer without a body."""
    return "\r\n".join((f"HTTP/1.1 {code} So", *headers, "Content-Length: 0", "", "")).encode()


OK = status(204)


class Receiver:
    """Gives its answers in turn, one per connection, the last one from then on."""

    def __init__(self, *answers: Answer, tls: ssl.SSLContext | None = None) -> None:
        self.requests: Queue[Request] = Queue()
        self.over = Event()
        self._answers = list(answers or (OK,))
        self._tls = tls
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/stops"
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def request(self) -> Request:
        """The next request that came in; waits for it."""
        return self.requests.get(timeout=DEADLINE_S)

    def close(self) -> None:
        """End it, and whatever answer it is still giving."""
        self.over.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(DEADLINE_S)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, accepted: socket.socket) -> None:
        with accepted, suppress(OSError):  # the client may go away
            connection = accepted if self._tls is None else self._tls.wrap_socket(accepted, server_side=True)
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            self.requests.put(_read(connection))
            if isinstance(answer, bytes):
                connection.sendall(answer)
            else:
                answer(connection, self.over)
            connection.close()


def _read(connection: socket.socket) -> Request:
    with connection.makefile("rb") as stream:
        line = stream.readline().decode().strip()
        head = b""
        while (more := stream.readline()).strip():
            head += more
        headers = BytesParser().parsebytes(head)
        return Request(line, headers, stream.read(int(headers["Content-Length"] or 0)))
