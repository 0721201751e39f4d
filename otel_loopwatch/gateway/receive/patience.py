"""Connections that say nothing, say it too slowly, or no HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.refusals import Reason


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection where a request has begun, or is to be the first, and no headers come.

    uvicorn itself waits for them for ever. The rest of a body that was refused must have come by then, too. A body that
    is being read has a deadline of its own.
    """

    head_s: float
    counts: Counts
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The first request is expected."""
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self.counts.add(Reason.BUSY)  # its requests are answered by 503
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Something came: a request as a whole, at least its headers, or too little to tell."""
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle  # None until the first request
        if cycle is not None and not cycle.response_complete:
            self._stop()
        elif self._deadline is None and not self.transport.is_closing():
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._stop()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP, or its headers are beyond all measure."""
        self.counts.add(Reason.MALFORMED)
        super().send_400_response(msg)

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(self.head_s, self._give_up)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self.counts.add(Reason.SLOW)
        self.transport.abort()


def patient(head_s: float, counts: Counts) -> type[PatientProtocol]:
    """The protocol with so much time, in seconds, for the headers of a request."""
    return type("PatientProtocol", (PatientProtocol,), {"head_s": head_s, "counts": counts})
