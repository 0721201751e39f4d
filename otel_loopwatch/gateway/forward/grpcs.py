"""OTLP/gRPC: requests as unary calls over one channel."""

from __future__ import annotations

import re
from typing import Any

import grpc

from otel_loopwatch.control.address import without_path
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.outcome import Again, Outcome, Refused
from otel_loopwatch.gateway.forward.services import METHODS, taken
from otel_loopwatch.gateway.forward.status import delay_s
from otel_loopwatch.gateway.signal import Request, Signal

RETRYABLE = frozenset(
    {
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
"""By the specification of OTLP; RESOURCE_EXHAUSTED beside them, where it comes with a delay."""
NAME = re.compile(r"[0-9a-z_.-]+")
"""Of a header, in gRPC."""
DETAILS = "grpc-status-details-bin"
DEFAULT_PORT = 4317
RECONNECT_MS = 2000
"""The channel connects again after this long at most: waiting longer is for whoever sends."""


class OtlpGrpc:
    """Sends to an OTLP/gRPC endpoint; ``http`` in its URL is a connection without TLS.

    :raises ValueError: where the URL has a path, or a header is none of gRPC.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        _check(endpoint)
        self._endpoint = endpoint
        self._metadata = tuple((name.lower(), value) for name, value in endpoint.headers.items())
        self._channel = _channel(endpoint)
        self._calls: dict[Signal, Any] = {signal: self._channel.unary_unary(METHODS[signal]) for signal in Signal}

    def send(self, request: Request) -> Outcome:
        """Call once."""
        try:
            answer = self._calls[request.signal](
                request.body, timeout=self._endpoint.timeout_s, metadata=self._metadata
            )
        except grpc.RpcError as error:
            return _refusal(error)
        return taken(request.signal, answer)

    def close(self) -> None:
        """Let go of the channel; calls in flight end."""
        self._channel.close()


def _check(endpoint: Endpoint) -> None:
    if endpoint.parts.path.strip("/"):
        raise ValueError(f"url is {without_path(endpoint.url)!r}; it must have no path with OTLP/gRPC")
    for name in endpoint.headers:
        if not NAME.fullmatch(name.lower()) or name.lower().endswith("-bin"):
            raise ValueError(f"headers has {name!r}; with OTLP/gRPC it must be of letters, digits and -_. and of text")


def _channel(endpoint: Endpoint) -> grpc.Channel:
    address = endpoint.parts.netloc.rstrip(":")
    target = address if endpoint.parts.port else f"{address}:{DEFAULT_PORT}"
    options = (
        ("grpc.initial_reconnect_backoff_ms", RECONNECT_MS // 4),
        ("grpc.max_reconnect_backoff_ms", RECONNECT_MS),
    )
    compression = grpc.Compression.Gzip if endpoint.gzip else grpc.Compression.NoCompression
    if not endpoint.tls:
        return grpc.insecure_channel(target, options, compression)
    roots = endpoint.ca_file.read_bytes() if endpoint.ca_file else None
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(roots), options, compression)


def _refusal(error: Any) -> Outcome:
    code, message = error.code(), error.details() or ""
    delay = delay_s(dict(error.trailing_metadata() or ()).get(DETAILS, b""))
    if code in RETRYABLE or (code is grpc.StatusCode.RESOURCE_EXHAUSTED and delay is not None):
        return Again(code.name, delay, message)
    return Refused(code.name, message)
