"""Real gateways in this process, each with a thread and an event loop of its own."""

import asyncio
from pathlib import Path
from threading import Event, Thread

from otel_loopwatch.config import load
from otel_loopwatch.gateway.service import Gateway
from otel_loopwatch.gateway.settings import GatewaySettings

PATIENCE_S = 30.0


class RunningGateway:
    """A gateway that writes what it forwards into files of its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ready = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self._ready.wait(PATIENCE_S):
            raise TimeoutError("the gateway did not start")

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        settings = GatewaySettings(http_port=0, grpc_port=0, folder=self.folder, window_s=0.05, metrics_s=0)
        self.gateway = Gateway(settings, load())
        self._ready.set()
        await self.gateway.serve()

    @property
    def url(self) -> str:
        """Of OTLP/HTTP."""
        return f"http://127.0.0.1:{self.gateway.http_port}"

    @property
    def output(self) -> Path:
        """The spans that went on."""
        return self.gateway.settings.output / "traces.jsonl"

    def stop(self) -> None:
        """Drain."""
        self.gateway.stop()
        self._thread.join(PATIENCE_S)
