"""A gateway to look at: the real board, API and page in a server of its own, and agents whose calls reach the board."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import uvicorn
from starlette.applications import Starlette

from otel_loopwatch.engine import Engine
from otel_loopwatch.gateway import api, page
from otel_loopwatch.gateway.audit import AuditLog
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.orders import Orders
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.guard import Guard
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.model import ToolCall
from otel_loopwatch.scenarios import Step
from otel_loopwatch.stream import Seen
from otel_loopwatch.tracker import RunEnded

PATIENCE_S = 20.0


def eventually(happened: Callable[[], object]) -> bool:
    """Whether it happened within a time that is long enough for any machine."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Gateway:
    """One process of a gateway, as far as people see it. ``agents`` make calls, ``board`` has what came of them."""

    def __init__(self, port: int, audit: Path, token: str | None, *, closed: bool) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}/"
        self.board = Board()
        self.agents = Agents(self.board)
        self._audit = AuditLog(audit)
        orders = Orders(self.board, self._audit)
        access = (Everything if closed else Access)(tokens=(token,) if token else ())
        app = Guard(Starlette(routes=page.routes() + api.routes(self.board, orders)), access, Limits(), Counts())
        config = uvicorn.Config(app, port=port, log_level="critical", ws="none", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)

    def start(self) -> None:
        """Serve from now on."""
        self._thread.start()
        assert eventually(lambda: self._server.started)

    def stop(self) -> None:
        """Have all clients go, and end."""
        self.board.waiters.close()
        self._server.should_exit = True
        self._thread.join()
        self._audit.close()

    def run(self, run: str) -> dict[str, Any]:
        """What the API says of a run."""
        with urlopen(f"{self.address}v1/runs/{quote(run, safe='')}") as answer:
            said: dict[str, Any] = json.load(answer)
        return said


@contextmanager
def gateway(
    tmp_path: Path, *, port: int | None = None, token: str | None = None, closed: bool = False
) -> Iterator[Gateway]:
    """A gateway that serves; on the port of an earlier one it takes its place.

    The token is needed to change something; where the gateway is ``closed``, to see anything, too.
    """
    served = Gateway(port or free_port(), tmp_path / "audit.jsonl", token, closed=closed)
    served.start()
    try:
        yield served
    finally:
        served.stop()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Everything(Access):
    """As on a host that others can reach: the token is needed to look, too."""

    def admits(self, authorization: str | None, looking: bool = False) -> bool:
        return super().admits(authorization)


class Agents:
    """Agents whose calls go through an engine onto a board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._engine = Engine()
        self._now_ns: dict[str, int] = {}
        self._calls = 0

    def play(
        self, run: str, steps: Iterable[Step], *, agent: str = "support", service: str = "desk", since_s: float = 60.0
    ) -> None:
        """A run goes on by some steps; it began so many seconds ago."""
        for step in steps:
            self._calls += 1
            start = self._now_ns.get(run, time.time_ns() - int(since_s * 1e9)) + int(step.after_s * 1e9)
            self._now_ns[run] = start
            call = ToolCall(
                run=run, tool=step.tool, agent=agent, arguments=step.arguments, result=step.result or None,
                failed=step.error is not None, error=step.error, start_ns=start, end_ns=start + 7 * 10**8,
                trace_id=trace_of(run), span_id=self._calls,
            )  # fmt: skip
            seen = self._engine.observe(call)
            self._board.take(Seen(call, seen.signals, seen, self._engine.summary(run)), service)

    def end(self, run: str) -> None:
        """Nothing more comes of it."""
        self._board.take(Seen(RunEnded(run, "ended"), run=self._engine.end(run)))


def trace_of(run: str) -> int:
    """The trace in which a run lies, by its key."""
    return int(run[:32], 16)


def run_key(number: int) -> str:
    """Key of a run, the only one of its trace."""
    return f"{(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"
