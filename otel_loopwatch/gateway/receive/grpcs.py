"""OTLP/gRPC: the three services, on asyncio, so that a client which sends slowly holds no thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import grpc
from grpc import aio

from otel_loopwatch.gateway.forward.services import METHODS
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.intake import Intake
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.receive.refusals import Reason, Refused
from otel_loopwatch.gateway.signal import Signal

STATUS_KEY = "grpc-status-details-bin"
"""Metadata with the ``google.rpc.Status``, as gRPC has it."""
RETRY_KEY = "google.rpc.retryinfo-bin"
"""Metadata with the ``RetryInfo`` alone, where the exporters of Python look for it."""
MAX_AGE_MS = 300_000
"""Of a connection; calls under way then have a minute. What sends too slowly ends with it."""
CODES: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}

Context = aio.ServicerContext[bytes, bytes]


class GrpcServer:
    """Takes OTLP/gRPC on the host of the access; any free port where ``port`` is 0. For one event loop.

    :raises ValueError: where it cannot listen.
    """

    def __init__(self, intake: Intake, access: Access, port: int) -> None:
        self._server = aio.server(
            interceptors=[_TokenFirst(intake, access)],
            options=_options(intake.limits),
            maximum_concurrent_rpcs=intake.limits.all_calls,
        )
        for signal in Signal:
            self._server.add_generic_rpc_handlers((_service(signal, intake),))
        self.port = _bind(self._server, access, port)

    async def start(self) -> None:
        """Begin to answer."""
        await self._server.start()

    async def stop(self, grace_s: float) -> None:
        """Take no more calls; those that are under way have so many seconds."""
        await self._server.stop(grace_s)


class _TokenFirst(aio.ServerInterceptor):
    """Refuses a call without a token before its message is read."""

    def __init__(self, intake: Intake, access: Access) -> None:
        self._intake = intake
        self._access = access

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The call's own handler, or one that refuses it."""
        metadata = handler_call_details.invocation_metadata
        shown = next((value for key, value in metadata if key == "authorization"), None)
        if self._access.admits(shown if isinstance(shown, str) else None):
            return await continuation(handler_call_details)
        return grpc.stream_unary_rpc_method_handler(self._refuse)  # a stream's messages are not waited for

    async def _refuse(self, messages: Any, context: Context) -> NoReturn:
        await _abort(context, Refused(Reason.UNAUTHENTICATED, "a bearer token is needed"), self._intake)


def _service(signal: Signal, intake: Intake) -> grpc.GenericRpcHandler:
    async def export(body: bytes, context: Context) -> bytes:
        try:
            return (await intake.take(signal, body)).SerializeToString()
        except Refused as refused:
            await _abort(context, refused, intake)

    _, service, method = METHODS[signal].split("/")
    return grpc.method_handlers_generic_handler(service, {method: grpc.unary_unary_rpc_method_handler(export)})


async def _abort(context: Context, refused: Refused, intake: Intake) -> NoReturn:
    intake.counts.add(refused.reason)
    metadata: list[tuple[str, str | bytes]] = [(STATUS_KEY, refused.status().SerializeToString())]
    if refused.retry_after_s is not None:
        metadata.append((RETRY_KEY, refused.retry_info().SerializeToString()))
    await context.abort(CODES[refused.answer.grpc], refused.message, tuple(metadata))


def _bind(server: aio.Server, access: Access, port: int) -> int:
    host = f"[{access.host}]" if ":" in access.host else access.host
    credentials = access.credentials()
    try:
        if credentials is None:
            return server.add_insecure_port(f"{host}:{port}")
        return server.add_secure_port(f"{host}:{port}", credentials)
    except RuntimeError:
        raise ValueError(f"grpc_port is {port}; it must be one of {host} that nobody listens on") from None


def _options(limits: Limits) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", limits.body_bytes),  # of what it is when unpacked, too
        ("grpc.max_metadata_size", limits.header_bytes),
        ("grpc.absolute_max_metadata_size", limits.header_bytes),
        ("grpc.max_concurrent_streams", limits.calls),
        ("grpc.server_handshake_timeout_ms", int(limits.head_s * 1000)),
        ("grpc.max_connection_idle_ms", limits.idle_s * 1000),
        ("grpc.max_connection_age_ms", MAX_AGE_MS),
        ("grpc.max_connection_age_grace_ms", int(limits.body_s * 1000)),
        ("grpc.so_reuseport", 0),  # two gateways on one port would each get half of a trace
    ]
