"""The HTTP server, on uvicorn, with every limit set."""

from __future__ import annotations

import socket
from contextlib import nullcontext

import uvicorn
from starlette.types import ASGIApp

from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.guard import Guard
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.receive.patience import patient

GRACE_S = 10
"""For requests that are under way when the server is told to stop."""


class HttpServer:
    """Serves an application behind the :class:`Guard`, on the host of the access; any free port where ``port`` is 0.

    ``await serve()`` returns after ``stop()``, which may be called from any thread.

    :raises ValueError: where it cannot listen.
    """

    def __init__(self, app: ASGIApp, access: Access, port: int, limits: Limits, counts: Counts) -> None:
        self._listening = _listen(access.host, port)
        self.port: int = self._listening.getsockname()[1]
        self._server = _Server(_config(Guard(app, access, limits, counts), access, limits, counts))

    async def serve(self) -> None:
        """Answer requests until told to stop, then those that are under way."""
        await self._server.serve(sockets=[self._listening])

    def stop(self) -> None:
        """Take no more connections."""
        self._server.should_exit = True

    @property
    def started(self) -> bool:
        """Whether it answers."""
        return self._server.started


class _Server(uvicorn.Server):
    """Leaves signals to the process, which has more to stop than this server."""

    def capture_signals(self) -> nullcontext[None]:  # type: ignore[override]
        """Capture none."""
        return nullcontext()


def _config(app: ASGIApp, access: Access, limits: Limits, counts: Counts) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=patient(limits.head_s, counts),
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",  # below it, every client that sends nonsense writes a line
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=limits.idle_s,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=limits.header_bytes,
    )
    config.load()
    config.ssl = access.context() if access.has_tls else None
    return config


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen()  # whoever connects before it serves is answered then
    except OSError as error:
        listening.close()
        raise ValueError(f"http_port is {port}; it must be one of {host} to listen on: {error.strerror}") from None
    return listening
