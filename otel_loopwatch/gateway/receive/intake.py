"""A body becomes a request in the store, and only then is it acknowledged."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property, partial
from threading import Lock
from typing import Any

from anyio import CapacityLimiter, to_thread
from google.protobuf.message import Message
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.gateway.forward.services import ANSWERS, REQUESTS
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.encodings import Encoding
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.receive.packing import unpacked
from otel_loopwatch.gateway.receive.parts import check_json, check_protobuf
from otel_loopwatch.gateway.receive.refusals import Reason, Refused
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.store import Store, StoreFull
from otel_loopwatch.otlp.identified import drop_unidentified

log = logging.getLogger("otel_loopwatch")

RETRY_FAILED_S = 5
"""After a failure of ours."""
LARGE = 1 << 20
"""Bytes above which bodies are read one at a time: some take a hundred times as much memory while they are."""
INVALID_IDS = "spans without a valid trace id and span id"


def _read(signal: Signal, plain: bytes, encoding: Encoding) -> tuple[bytes, int]:
    """What is to be kept of a body, as protobuf, and how many spans of it are not."""
    (check_json if encoding is Encoding.JSON else check_protobuf)(plain)
    message = encoding.read(REQUESTS[signal], plain)
    rejected = drop_unidentified(message) if isinstance(message, ExportTraceServiceRequest) else 0
    changed = rejected or encoding is Encoding.JSON
    return message.SerializeToString() if changed else plain, rejected


def _nobody(position: int, request: Request) -> None:
    """Nobody is told."""


class Intake:
    """Takes in what both protocols receive. Refusals are counted in ``counts``.

    ``kept`` is told of each request that was kept, with its position, by the thread that kept it, before the client is.
    """

    def __init__(
        self,
        store: Store,
        counts: Counts | None = None,
        limits: Limits | None = None,
        kept: Callable[[int, Request], None] = _nobody,
    ) -> None:
        self.counts = Counts() if counts is None else counts
        self.limits = limits or Limits()
        self._store = store
        self._kept = kept
        self._large = Lock()
        self._told: set[str] = set()

    @cached_property
    def _threads(self) -> CapacityLimiter:
        """Made within the event loop that it is for."""
        return CapacityLimiter(self.limits.threads)

    async def take(
        self, signal: Signal, body: bytes, encoding: Encoding = Encoding.PROTOBUF, content_encoding: str = ""
    ) -> Message:
        """Unpack, read and keep a body, in a thread; the answer, an ``Export...ServiceResponse``.

        :raises Refused: where it is not kept.
        """
        work = partial(self.taken, signal, body, encoding, content_encoding)
        return await to_thread.run_sync(work, limiter=self._threads)

    def taken(
        self, signal: Signal, body: bytes, encoding: Encoding = Encoding.PROTOBUF, content_encoding: str = ""
    ) -> Message:
        """The same, in this thread."""
        plain = unpacked(body, content_encoding, self.limits.body_bytes)
        with self._large if len(plain) > LARGE else nullcontext():
            kept, rejected = _read(signal, plain, encoding)
        if kept:
            self.accept(Request(signal, kept))
        answer: Message = self._answer(signal, rejected)
        return answer

    def accept(self, request: Request) -> int:
        """Keep a request; its position in the store.

        :raises Refused: where the store is full, or fails.
        """
        try:
            position = self._store.append(request)
        except StoreFull as full:
            raise Refused(Reason.FULL, "there is no room to keep the request", full.retry_after_s) from None
        except Exception as error:  # noqa: BLE001 - whatever a store fails with, the client is told
            self._tell(error)
            raise Refused(Reason.FAILED, "the request could not be kept", RETRY_FAILED_S) from None
        self._kept(position, request)
        return position

    def _tell(self, error: Exception) -> None:
        """Once per kind: it may happen with every request."""
        kind = type(error).__name__
        if kind not in self._told:
            self._told.add(kind)
            log.error("Requests cannot be kept, clients are to send them again: %s", kind, exc_info=error)

    def _answer(self, signal: Signal, rejected: int) -> Any:
        answer: Any = ANSWERS[signal]()
        if rejected:
            self.counts.add(Reason.INVALID_ID, rejected)
            answer.partial_success.rejected_spans = rejected
            answer.partial_success.error_message = INVALID_IDS
        return answer
