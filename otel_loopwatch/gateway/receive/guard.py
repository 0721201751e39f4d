"""What every HTTP request passes before any route."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from otel_loopwatch.gateway import page
from otel_loopwatch.gateway.api.own_host import under_its_own_name
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.answers import refusal
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.receive.refusals import Reason, Refused

OPEN = frozenset({"/healthz", *page.FILES})
"""Paths for everybody: neither what watches over the gateway nor a browser that opens the page has a token to show."""
LOOKING = frozenset({"GET", "HEAD"})


class Guard:
    """An application in front of another: headers within limits, this machine's own name on loopback, a token."""

    def __init__(self, app: ASGIApp, access: Access, limits: Limits, counts: Counts) -> None:
        self._app = app
        self._access = access
        self._limits = limits
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        try:
            if scope["type"] == "http":
                self._check(scope)
        except Refused as refused:
            self._counts.add(refused.reason)
            await refusal(refused, Headers(scope=scope).get("content-type", ""))(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        raw = scope["headers"]
        if len(raw) > self._limits.headers or sum(len(a) + len(b) for a, b in raw) > self._limits.header_bytes:
            raise Refused(Reason.HEADERS, "the headers are too many or too large")
        if self._access.is_loopback and not under_its_own_name(HTTPConnection(scope)):
            raise Refused(Reason.OTHER_HOST, "the host that was asked for is not this machine")
        looking = scope["method"] in LOOKING
        if scope["path"] not in OPEN and not self._access.admits(_authorization(scope), looking):
            raise Refused(Reason.UNAUTHENTICATED, "a bearer token is needed")


def _authorization(scope: Scope) -> str | None:
    return Headers(scope=scope).get("authorization")
