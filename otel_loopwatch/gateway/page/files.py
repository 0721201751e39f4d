"""The page's files over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from otel_loopwatch import look

INDEX = "index.html"
OWN = (
    *("page.css", "main.js", "gateway.js", "stream.js", "live.js", "fleet.js", "list.js", "details.js", "timeline.js"),
    *("loops.js", "dialogs.js", "filters.js", "hash.js", "names.js", "news.js", "times.js"),
)
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
POLICY = "; ".join(
    f"{directive} {source}"
    for directive, source in {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": "'self' data:",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }.items()
)
"""Content-Security-Policy: what a tool is called cannot run, load or send anything, even if it became HTML."""


FILES = {"/": INDEX} | {f"/page/{name}": name for name in (*OWN, *look.NAMES)}
"""What is at which path. They hold nothing of any run: they are for everybody who asks, for a browser that opens a page
has no token to show."""


def routes() -> list[Route]:
    """Of :data:`FILES`, for GET and HEAD."""
    return [Route(path, _answering(name)) for path, name in FILES.items()]


def _answering(name: str) -> Callable[[Request], Awaitable[Response]]:
    text = look.shared(name) if name in look.NAMES else look.asset(__name__.rpartition(".")[0], name)
    body = text.encode()
    ending = name.rpartition(".")[2]
    headers = {
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-cache",  # asked for again each time, so that an upgrade shows at once
        "ETag": f'"{sha256(body).hexdigest()[:32]}"',
        "Content-Type": f"{TYPES[ending]}; charset=utf-8",
    }
    return partial(_answer, body, headers)


async def _answer(body: bytes, headers: dict[str, str], request: Request) -> Response:
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers)
