"""Bodies in protobuf and in JSON, by their media types."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import DecodeError, Message
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from otel_loopwatch.gateway.receive.refusals import Reason, Refused
from otel_loopwatch.otlp import jsons

M = TypeVar("M", bound=Message)


class Encoding(str, Enum):
    """How a body is written: its media type."""

    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"

    def read(self, kind: type[M], body: bytes) -> M:
        """A message from a body. Raises :class:`Refused` for what is none."""
        try:
            return jsons.parse(kind, body) if self is Encoding.JSON else kind.FromString(body)
        except (ValueError, DecodeError) as error:
            raise Refused(Reason.MALFORMED, " ".join(str(error).split())) from None

    def write(self, message: Message) -> bytes:
        """A body from a message of OTLP."""
        return jsons.line(message) if self is Encoding.JSON else message.SerializeToString()

    def write_status(self, status: Status) -> bytes:
        """A body from a status, whose JSON is that of protobuf: it has a mapping of its own for details."""
        return MessageToJson(status, indent=None).encode() if self is Encoding.JSON else status.SerializeToString()


def encoding_of(content_type: str) -> Encoding | None:
    """The encoding that a ``Content-Type`` names; ``None`` if it is neither."""
    named = content_type.partition(";")[0].strip().lower()
    return next((encoding for encoding in Encoding if encoding.value == named), None)
