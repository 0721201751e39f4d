"""OTLP/HTTP as routes of Starlette."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from otel_loopwatch.gateway.forward.services import path
from otel_loopwatch.gateway.receive.answers import refusal, success
from otel_loopwatch.gateway.receive.bodies import Bodies
from otel_loopwatch.gateway.receive.encodings import encoding_of
from otel_loopwatch.gateway.receive.intake import Intake
from otel_loopwatch.gateway.receive.refusals import Reason, Refused
from otel_loopwatch.gateway.signal import Signal


def otlp_app(intake: Intake) -> ASGIApp:
    """An application that takes OTLP/HTTP and nothing else."""
    return Starlette(routes=routes(intake))


def routes(intake: Intake) -> list[Route]:
    """``POST /v1/traces``, ``/v1/logs`` and ``/v1/metrics``."""
    bodies = Bodies(intake.limits)
    return [Route(path(signal), _Endpoint(signal, intake, bodies)) for signal in Signal]


class _Endpoint:
    """Takes requests of one signal. An application by itself, so that each method comes here and is answered here."""

    def __init__(self, signal: Signal, intake: Intake, bodies: Bodies) -> None:
        self._signal = signal
        self._intake = intake
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            return await self._take(request)
        except Refused as refused:
            self._intake.counts.add(refused.reason)
            return refusal(refused, request.headers.get("content-type", ""))

    async def _take(self, request: Request) -> Response:
        if request.method != "POST":
            raise Refused(Reason.METHOD, "the method must be POST")
        encoding = encoding_of(request.headers.get("content-type", ""))
        if encoding is None:
            raise Refused(Reason.MEDIA_TYPE, "the content type must be application/x-protobuf or application/json")
        async with self._bodies.read(request) as body:
            packed = request.headers.get("content-encoding", "")
            return success(await self._intake.take(self._signal, body, encoding, packed), encoding)
