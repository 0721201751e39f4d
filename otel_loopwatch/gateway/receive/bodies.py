"""Bodies of HTTP requests, each within its limits, and all of them together within theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.requests import ClientDisconnect, Request

from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.receive.refusals import Reason, Refused

RETRY_BUSY_S = 1


class Bodies:
    """Reads bodies, on one event loop."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buffered = 0

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytes]:
        """A body, which counts as buffered until the context is left.

        :raises Refused: for one that is too large or too slow, where too much is buffered already, and where the client
            leaves.
        """
        body = bytearray()
        try:
            await self._fill(body, request)
            yield bytes(body)
        finally:
            self._buffered -= len(body)

    async def _fill(self, body: bytearray, request: Request) -> None:
        self._check(_announced(request))
        try:
            with anyio.fail_after(self._limits.body_s):
                async for chunk in request.stream():
                    self._buffered += len(chunk)
                    body += chunk
                    self._check(len(body))
        except TimeoutError:
            raise Refused(Reason.SLOW, "the body took too long") from None
        except ClientDisconnect:
            raise Refused(Reason.DISCONNECTED, "the client left") from None

    def _check(self, size: int) -> None:
        if size > self._limits.body_bytes:
            raise Refused(Reason.TOO_LARGE, f"the body is larger than {self._limits.body_bytes} bytes")
        if self._buffered > self._limits.buffered_bytes:
            raise Refused(Reason.BUSY, "too much is being received", RETRY_BUSY_S)


def _announced(request: Request) -> int:
    """Bytes that the headers say will come; the server has checked that it is a number."""
    return int(request.headers.get("content-length", 0))
