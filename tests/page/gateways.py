"""A gateway to look at: the real board, API and page in a server of its own, and agents whose calls reach the board."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from otel_loopwatch.engine import Engine
from otel_loopwatch.gateway import api, page
from otel_loopwatch.gateway.audit import AuditLog
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.orders import Orders
from otel_loopwatch.model import ToolCall
from otel_loopwatch.scenarios import Step
from otel_loopwatch.settings import Settings
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

    def __init__(self, port: int, audit: Path, token: str | None) -> None:
        self.address = f"http://127.0.0.1:{port}/"
        self.board = Board()
        self.agents = Agents(self.board)
        orders = Orders(self.board, AuditLog(audit))
        app = Starlette(routes=page.routes() + api.routes(self.board, orders, token=token))
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


@contextmanager
def gateway(tmp_path: Path, *, port: int | None = None, token: str | None = None) -> Iterator[Gateway]:
    """A gateway that serves; on the port of an earlier one it takes its place."""
    served = Gateway(port or free_port(), tmp_path / "audit.jsonl", token)
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


class Agents:
    """Agents whose calls go through an engine onto a board; ``began_ns`` is when the first one began."""

    def __init__(self, board: Board, settings: Settings | None = None) -> None:
        self._board = board
        self._engine = Engine(settings)
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


def again(step: Step, times: int, **other: object) -> tuple[Step, ...]:
    """A step, so many times."""
    return (replace(step, **other),) * times
