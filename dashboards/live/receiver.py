"""Something that takes webhooks, on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from queue import Queue
from threading import Thread
from types import TracebackType
from typing import Any

ACCEPTED = 200


class Receiver:
    """Takes JSON by POST, as a context manager. ``answer`` gives the status for the number of a request, from 1."""

    def __init__(self, answer: Callable[[int], int] = lambda number: ACCEPTED) -> None:
        self.taken: Queue[Any] = Queue()
        """What came in and was accepted."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.taken, answer))
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Receiver:
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(taken: Queue[Any], answer: Callable[[int], int]) -> type[BaseHTTPRequestHandler]:
    numbers = count(1)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = answer(next(numbers))
            if status == ACCEPTED:
                taken.put(body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the standard library's
            """Nothing is said."""

    return Handler
