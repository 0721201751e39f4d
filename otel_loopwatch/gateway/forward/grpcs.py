"""OTLP/gRPC: requests as unary calls over one channel."""

from __future__ import annotations

from typing import Any

import grpc

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
DETAILS = "grpc-status-details-bin"
DEFAULT_PORT = 4317
RECONNECT_MS = 2000
"""The channel connects again after this long at most: waiting longer is for whoever sends."""


class OtlpGrpc:
    """Sends to an OTLP/gRPC endpoint; ``http`` in its URL is a connection without TLS."""

    def __init__(self, endpoint: Endpoint) -> None:
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


def _channel(endpoint: Endpoint) -> grpc.Channel:
    target = f"{endpoint.parts.hostname}:{endpoint.parts.port or DEFAULT_PORT}"
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
