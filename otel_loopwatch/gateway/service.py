"""The gateway: all of its parts together, from start to drain."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from otel_loopwatch.control.hook import resolve_hook
from otel_loopwatch.control.webhook import webhook_for
from otel_loopwatch.digests import Digests
from otel_loopwatch.gateway import api, marking, page
from otel_loopwatch.gateway.audit import AuditLog
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.clocks import Clocks
from otel_loopwatch.gateway.counting import Counting
from otel_loopwatch.gateway.export import OwnMetrics
from otel_loopwatch.gateway.forward import Downstream, Forwarder
from otel_loopwatch.gateway.forward.files import JsonLines
from otel_loopwatch.gateway.forward.grpcs import OtlpGrpc
from otel_loopwatch.gateway.forward.http import OtlpHttp
from otel_loopwatch.gateway.judge import Judge
from otel_loopwatch.gateway.judging import Judging
from otel_loopwatch.gateway.memory import MemoryStore
from otel_loopwatch.gateway.metrics import GatewayMetrics
from otel_loopwatch.gateway.orders import Orders
from otel_loopwatch.gateway.reaction import Reaction
from otel_loopwatch.gateway.receive import asgi
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.grpcs import GrpcServer
from otel_loopwatch.gateway.receive.http import HttpServer
from otel_loopwatch.gateway.receive.intake import Intake
from otel_loopwatch.gateway.settings import GatewaySettings, Transport
from otel_loopwatch.gateway.signal import Request
from otel_loopwatch.gateway.spool import Spool
from otel_loopwatch.gateway.spool.lock import hold
from otel_loopwatch.gateway.state import State, StateFile
from otel_loopwatch.gateway.store import Store
from otel_loopwatch.model import RunSummary
from otel_loopwatch.settings import Options
from otel_loopwatch.stream import Arrivals, StreamWatch
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.metrics import metrics_for

log = logging.getLogger(names.SCOPE)

AHEAD = 1 / 4
"""Of the time for which runs live without a call: a client's clock may be ahead by so much."""
MAX_HELD = 20_000
"""Spans that wait for others of their trace; beyond it those that wait longest are judged early."""
GRACE_S = 5.0
"""For calls of gRPC that are under way when it is told to stop."""


class Gateway:
    """Receives, keeps, judges, marks and forwards. Made and run in one event loop; it listens from the start.

    ``clock`` gives ns since the epoch.

    :raises ValueError: naming what cannot be used.
    """

    def __init__(self, settings: GatewaySettings, options: Options, clock: Callable[[], int] = time.time_ns) -> None:
        self.settings = settings
        self._options = options
        self._draining = False
        self._held = _own_folder(settings.folder)
        self._audit = AuditLog(settings.audit)
        self._state = StateFile(settings.state)
        self._store = _store(settings)
        self._forwarder = Forwarder(self._store, _downstream(settings), marking.marked)
        self._counting = Counting(OwnMetrics(self._forwarder.put), settings.metrics_s)
        self._metrics = metrics_for(self._counting.provider)
        digests = Digests(options.digest_key)
        self.board = Board(max_runs=options.settings.max_runs, shown=digests.fingerprint, clock=clock)
        orders = Orders(self.board, self._audit, clock)
        self._watch = StreamWatch(options, on_evicted=self._evicted)
        self._arrivals = Arrivals(int(settings.window_s * 1e9), MAX_HELD)
        hook, webhook = resolve_hook(options.control.value), webhook_for(options.webhook)
        self._reaction = Reaction(hook, self._metrics, self.board, digests, self._forwarder.put, webhook)
        clocks = Clocks(int(options.settings.run_ttl_s * 1e9 * AHEAD), clock)
        self._judging = Judging(self._watch, self._arrivals, clocks, self._reaction, self._forwarder.offer)
        self._judge = Judge(self._store, self._judging, self._restored())
        refused = Counts()
        self._own = GatewayMetrics(self._counting.provider, self._store, self._judge, self._forwarder, refused)
        self._metrics.attach(self, options.max_tool_names)
        intake = Intake(self._store, refused, settings.limits, self._kept)
        app = Starlette(routes=self._routes(intake, orders))
        self._http = HttpServer(app, settings.access, settings.http_port, settings.limits, refused)
        self._grpc = None if settings.grpc_port is None else GrpcServer(intake, settings.access, settings.grpc_port)

    @property
    def http_port(self) -> int:
        """Where OTLP/HTTP, the API and the page are."""
        return self._http.port

    @property
    def grpc_port(self) -> int | None:
        """Where OTLP/gRPC is."""
        return None if self._grpc is None else self._grpc.port

    async def serve(self) -> bool:
        """Work until :meth:`stop`, then drain; False where something stays that is not delivered."""
        self._state.remove()
        self._judge.start()
        if self._grpc is not None:
            await self._grpc.start()
        await self._http.serve()
        self._draining = True
        if self._grpc is not None:
            await self._grpc.stop(GRACE_S)
        return await asyncio.to_thread(self._drain)

    def stop(self) -> None:
        """Take nothing more, and come to an end; from any thread."""
        self._draining = True
        self.board.waiters.close()
        self._http.stop()

    def _drain(self) -> bool:
        """Judge and deliver what is kept. What the spool keeps beyond that is for the next start."""
        until = time.monotonic() + self.settings.drain_s
        judged = self._judge.close(self.settings.drain_s / 2)
        self._metrics.detach(self)
        self._counting.close()
        delivered = self._forwarder.close(max(0.0, until - time.monotonic()))
        if self._judge.over:
            self._save()
        self._store.close()
        self._audit.close()
        os.close(self._held)
        return judged and delivered

    def _save(self) -> None:
        """What the next process goes on with."""
        try:
            self._state.write(
                State(
                    traces=list(self._watch.save_all()),
                    known=list(self._reaction.known()),
                    decisions=self.board.decisions(),
                    judged=self._forwarder.left(),
                )
            )
        except Exception as error:
            self._metrics.failed(type(error).__qualname__)
            log.exception("What is known of live runs could not be saved; the next process begins anew")

    def _restored(self) -> Collection[int]:
        """Go on with what the last process saved; requests that it judged and did not deliver go on."""
        state = self._state.read()
        if state is None:
            return ()
        for trace in state.traces:
            self._restore(trace)
        self._reaction.restore(state.known)
        self.board.restore(state.decisions)
        judged = [position for position in self._store.pending() if position in state.judged]
        for position in judged:
            self._forwarder.offer(position, state.judged[position])
        return judged

    def _restore(self, trace: bytes) -> None:
        try:
            self._watch.restore(trace)
        except Exception as error:  # noqa: BLE001 - of a damaged trace
            self._metrics.failed(type(error).__qualname__)
            log.warning("What was saved of a trace cannot be used, it begins anew: %s", error)

    def _kept(self, position: int, request: Request) -> None:
        self._own.kept(request.signal)
        self._judge.kept(position)

    def _evicted(self, reason: str, run: RunSummary) -> None:
        self._metrics.evicted(reason)
        self._reaction.forget(run.run)

    def _routes(self, intake: Intake, orders: Orders) -> list[Route]:
        return [
            *asgi.routes(intake),
            *api.routes(self.board, orders),
            *page.routes(),
            self._counting.route(),
            Route("/healthz", self._health, methods=["GET"]),
        ]

    def _health(self, request: HttpRequest) -> PlainTextResponse:
        return PlainTextResponse("draining", 503) if self._draining else PlainTextResponse("ok")

    # What the metrics read.

    @property
    def live_runs(self) -> int:
        """Runs remembered at the moment."""
        return len(self._watch)

    @property
    def capacity(self) -> int:
        """Runs that can be remembered at once."""
        return self._options.settings.max_runs

    @property
    def model_calls(self) -> int:
        """Model spans seen."""
        return self._watch.model_calls

    @property
    def skipped(self) -> Mapping[str, int]:
        """Spans and calls that were not judged, and those that came twice or late, by reason."""
        counts = Counter(self._watch.skipped)
        counts.update(self._judging.skipped)
        counts.update({reason: self._arrivals.counts[reason] for reason in ("duplicate", "late")})
        return counts


def _own_folder(folder: Path) -> int:
    """The descriptor that holds the folder for this process."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return hold(folder)
    except OSError as error:
        raise ValueError(f"folder is {str(folder)!r}; it must be one that can be written: {error}") from None


def _store(settings: GatewaySettings) -> Store:
    if settings.spool_bytes:
        return Spool(settings.spool, int(settings.spool_bytes))
    return MemoryStore(int(settings.memory_bytes))


def _downstream(settings: GatewaySettings) -> Downstream:
    if settings.downstream is None:
        return JsonLines(settings.output)
    return OtlpGrpc(settings.downstream) if settings.transport is Transport.GRPC else OtlpHttp(settings.downstream)
