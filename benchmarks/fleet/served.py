"""A gateway, or plain forwarding, by itself: ``python -m benchmarks.fleet.served plain|gateway URL FOLDER WINDOW``.

Plain forwarding is the same receiver, the same store and the same sender, with nothing between: what it costs to take
requests in, keep them until they are delivered, and send them on, in Python.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette

from otel_loopwatch.config import load
from otel_loopwatch.gateway.forward import Forwarder
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.http import OtlpHttp
from otel_loopwatch.gateway.receive import asgi
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.http import HttpServer
from otel_loopwatch.gateway.receive.intake import Intake
from otel_loopwatch.gateway.service import Gateway
from otel_loopwatch.gateway.settings import GatewaySettings
from otel_loopwatch.gateway.spool import Spool


class Plain:
    """Receives, keeps and sends on."""

    def __init__(self, settings: GatewaySettings, downstream: Endpoint) -> None:
        self._store = Spool(settings.spool, settings.spool_bytes)
        self._forwarder = Forwarder(self._store, OtlpHttp(downstream), _as_it_is)
        intake = Intake(self._store, Counts(), settings.limits, lambda position, _: self._forwarder.offer(position))
        app = Starlette(routes=asgi.routes(intake))
        self._http = HttpServer(app, settings.access, 0, settings.limits, intake.counts)
        self.http_port = self._http.port
        self.stop: Callable[[], None] = self._http.stop

    async def serve(self) -> bool:
        """Until it is told to stop."""
        await self._http.serve()
        return await asyncio.to_thread(self._forwarder.close, 20.0)


def _as_it_is(body: bytes, marks: bytes) -> bytes:
    return body


async def serve(kind: str, url: str, folder: str, window: str) -> None:
    """Say the port, and serve until SIGTERM."""
    downstream = Endpoint(url=url)
    settings = GatewaySettings(
        http_port=0, grpc_port=None, folder=Path(folder), downstream=downstream, window_s=float(window), metrics_s=0
    )
    served = Plain(settings, downstream) if kind == "plain" else Gateway(settings, load())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, served.stop)
    print(served.http_port, flush=True)
    await served.serve()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
