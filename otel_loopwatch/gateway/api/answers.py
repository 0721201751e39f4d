"""Answers in JSON; what is wrong with a question is one line of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

import msgspec
from starlette.requests import Request
from starlette.responses import Response

Endpoint = Callable[[Request], Awaitable[Response]]

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class Refused(Exception):
    """The question gets no answer, for the reason said."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def answer(data: object, status: int = 200) -> Response:
    """Data as JSON."""
    return Response(msgspec.json.encode(data), status, HEADERS, "application/json")


def refusal(status: int, why: str) -> Response:
    """``{"error": "..."}``."""
    return answer({"error": why}, status)


def answering(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with refusals as answers."""

    @wraps(endpoint)
    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as refused:
            return refusal(refused.status, str(refused))

    return answered
