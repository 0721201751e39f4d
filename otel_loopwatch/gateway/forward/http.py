"""OTLP/HTTP: requests POSTed as protobuf over connections that stay open."""

from __future__ import annotations

import time
from collections.abc import Callable
from gzip import compress

import urllib3

from otel_loopwatch.control.post import Answer
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.outcome import Again, Outcome, Refused
from otel_loopwatch.gateway.forward.services import path, taken
from otel_loopwatch.gateway.forward.status import message
from otel_loopwatch.gateway.signal import Request

PROTOBUF = "application/x-protobuf"
RETRYABLE = frozenset({429, 502, 503, 504})
"""By the specification of OTLP, and no others."""
MAX_ANSWER_BYTES = 65_536
"""Read of an answer at most."""
CONNECTIONS = 16
"""That stay open, if as many threads send at once."""


class OtlpHttp:
    """Sends to an OTLP/HTTP endpoint. ``clock`` gives seconds since the epoch, for dates in ``Retry-After``."""

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.time) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._base = endpoint.url.rstrip("/")
        self._headers = {**endpoint.headers, "Content-Type": PROTOBUF, "User-Agent": "otel-loopwatch"}
        if endpoint.gzip:
            self._headers["Content-Encoding"] = "gzip"
        ca_file = str(endpoint.ca_file) if endpoint.ca_file else None
        self._pool = urllib3.PoolManager(maxsize=CONNECTIONS, ca_certs=ca_file, cert_reqs="CERT_REQUIRED")

    def send(self, request: Request) -> Outcome:
        """POST it once; redirects are not followed."""
        body = compress(request.body) if self._endpoint.gzip else request.body
        url = self._base + path(request.signal)
        try:
            response = self._pool.request(
                "POST",
                url,
                body=body,
                headers=self._headers,
                timeout=self._endpoint.timeout_s,
                retries=False,
                redirect=False,
                preload_content=False,
            )
            with response:
                answer = _read(response)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            return Again(type(error).__name__, message=str(error))
        if 200 <= response.status < 300:
            return taken(request.signal, answer)
        return self._refusal(response.status, response.headers.get("Retry-After"), answer)

    def close(self) -> None:
        """Let go of the connections."""
        self._pool.clear()

    def _refusal(self, status: int, retry_after: str | None, answer: bytes) -> Outcome:
        reason = f"status {status}"
        if status in RETRYABLE:
            return Again(reason, Answer(status, retry_after).retry_after_s(self._clock()), message(answer))
        return Refused(reason, message(answer))


def _read(response: urllib3.BaseHTTPResponse) -> bytes:
    """The body, as far as it matters; empty where it is not compressed as it says."""
    try:
        return response.read(MAX_ANSWER_BYTES)
    except urllib3.exceptions.DecodeError:
        return b""
