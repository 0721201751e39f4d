"""Answers of OTLP/HTTP, in the encoding of the request."""

from __future__ import annotations

from google.protobuf.message import Message
from starlette.responses import Response

from otel_loopwatch.gateway.receive.encodings import Encoding, encoding_of
from otel_loopwatch.gateway.receive.refusals import Reason, Refused

_HEADERS = {Reason.METHOD: {"Allow": "POST"}, Reason.UNAUTHENTICATED: {"WWW-Authenticate": "Bearer"}}


def success(message: Message, encoding: Encoding) -> Response:
    """The request was taken, wholly or in part."""
    return Response(encoding.write(message), media_type=encoding.value)


def refusal(refused: Refused, content_type: str) -> Response:
    """The request was not taken: its body is a ``google.rpc.Status``, as JSON where the request was neither."""
    encoding = encoding_of(content_type) or Encoding.JSON
    headers = dict(_HEADERS.get(refused.reason, {}))
    if refused.retry_after_s is not None:
        headers["Retry-After"] = str(refused.retry_after_s)
    body = encoding.write_status(refused.status())
    return Response(body, refused.answer.http, headers, media_type=encoding.value)
