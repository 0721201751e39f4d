"""Who may look, and who may change something: one place for all of the board's routes."""

from __future__ import annotations

from functools import wraps
from hmac import compare_digest

from starlette.requests import Request
from starlette.responses import Response

from otel_loopwatch.gateway.api.answers import Endpoint, Refused
from otel_loopwatch.gateway.api.own_host import under_its_own_name


class Rules:
    """Looking is for whoever may reach the gateway; changing needs the token, also on loopback, where one is set.

    A browser sends neither ``application/json`` nor a token for another site unasked, and no answer of ours permits it.
    """

    def __init__(self, token: str | None = None) -> None:
        self._token = token.encode() if token is not None else None

    def to_look(self, endpoint: Endpoint) -> Endpoint:
        """An endpoint that shows something."""

        @wraps(endpoint)
        async def looked(request: Request) -> Response:
            if self._token is None and not under_its_own_name(request):
                raise Refused(421, "Host names another machine")
            return await endpoint(request)

        return looked

    def to_change(self, endpoint: Endpoint) -> Endpoint:
        """An endpoint that changes something."""

        @wraps(endpoint)
        async def changed(request: Request) -> Response:
            if self._token is not None and not self._shows_token(request):
                raise Refused(401, "a bearer token is needed")
            return await endpoint(request)

        return self.to_look(changed)

    def _shows_token(self, request: Request) -> bool:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and compare_digest(given.strip().encode(), self._token or b"")
