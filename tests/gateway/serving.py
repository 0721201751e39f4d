"""A real server on a free port of loopback, and a plain client for it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from threading import Thread
from typing import Any

import uvicorn
from receiver import DEADLINE_S
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.guard import Guard
from otel_loopwatch.gateway.receive.limits import Limits


@dataclass(frozen=True, slots=True)
class Client:
    """Asks over a new connection each time."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON; header names with ``_`` for ``-``."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            response = _sent(connection, method, path, body, headers)
            return response.status, json.loads(response.read() or b"null")
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: object, **headers: str) -> tuple[int, Any]:
        return self.ask("POST", path, body, **headers)

    @contextmanager
    def events(self, query: str = "", **headers: str) -> Iterator[Events]:
        """Server-sent events, while the block lasts."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            yield Events(_sent(connection, "GET", f"/v1/events{query}", None, headers))
        finally:
            connection.close()


class Events:
    """What comes over one connection."""

    def __init__(self, response: HTTPResponse) -> None:
        self.response = response
        self.comments = 0

    def next(self) -> tuple[int, str, Any]:
        """Id, name and data of the next event."""
        fields: dict[str, str] = {}
        while True:
            line = self.response.readline().decode()
            assert line, "the stream has ended"
            name, _, value = line.strip("\n").partition(": ")
            self.comments += line.startswith(":")
            if line != "\n":
                fields[name] = value
            elif "data" in fields:
                return int(fields["id"]), fields["event"], json.loads(fields["data"])
            else:
                fields.clear()


def _sent(connection: HTTPConnection, method: str, path: str, body: object, headers: dict[str, str]) -> HTTPResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        named.setdefault("Content-Type", "application/json")
    raw = body if isinstance(body, bytes | None) else json.dumps(body)
    connection.request(method, path, raw, named)
    return connection.getresponse()


@contextmanager
def serving(board: Board, routes: list[BaseRoute], port: int = 0, access: Access | None = None) -> Iterator[Client]:
    """The routes on a server of their own, behind the gateway's guard."""
    listening = socket.create_server(("127.0.0.1", port))
    app = Guard(Starlette(routes=routes), access or Access(), Limits(), Counts())
    config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield Client(listening.getsockname()[1])
    finally:
        board.waiters.close()
        server.should_exit = True
        thread.join(DEADLINE_S)
        listening.close()
        assert not thread.is_alive()
