"""Why something is refused, and how either protocol says it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from google.rpc import code_pb2  # type: ignore[import-untyped]
from google.rpc.error_details_pb2 import RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]


class Reason(str, Enum):
    """Why a request, or a part of it, was refused: the names under which refusals are counted."""

    UNAUTHENTICATED = "unauthenticated"
    """It showed no token, or a wrong one."""
    OTHER_HOST = "other_host"
    """It asked for another machine than this one, as a page of another site in a browser does."""
    METHOD = "method"
    """It was no POST."""
    MEDIA_TYPE = "media_type"
    """Neither protobuf nor JSON."""
    CONTENT_ENCODING = "content_encoding"
    """Packed by something else than gzip."""
    HEADERS = "headers"
    """Too many headers, or too large ones."""
    TOO_LARGE = "too_large"
    """Its body is beyond the limit, as it came or unpacked."""
    MALFORMED = "malformed"
    """It cannot be unpacked or read."""
    SLOW = "slow"
    """Its body took too long to come."""
    DISCONNECTED = "disconnected"
    """The client left before its body was complete."""
    BUSY = "busy"
    """Too many bodies are being read."""
    FULL = "full"
    """There is no room to keep it."""
    FAILED = "failed"
    """It could not be kept, for a reason of ours."""
    INVALID_ID = "invalid_id"
    """A span, not a request: one of its ids has another length than it must, or is all zeros."""


class Answer(NamedTuple):
    """How a refusal is said."""

    http: int
    """Status."""
    grpc: int
    """``google.rpc.Code``."""


ANSWERS = {
    Reason.UNAUTHENTICATED: Answer(401, code_pb2.UNAUTHENTICATED),
    Reason.OTHER_HOST: Answer(421, code_pb2.PERMISSION_DENIED),
    Reason.METHOD: Answer(405, code_pb2.UNIMPLEMENTED),
    Reason.MEDIA_TYPE: Answer(415, code_pb2.INVALID_ARGUMENT),
    Reason.CONTENT_ENCODING: Answer(415, code_pb2.INVALID_ARGUMENT),
    Reason.HEADERS: Answer(431, code_pb2.INVALID_ARGUMENT),
    Reason.TOO_LARGE: Answer(413, code_pb2.INVALID_ARGUMENT),
    Reason.MALFORMED: Answer(400, code_pb2.INVALID_ARGUMENT),
    Reason.SLOW: Answer(408, code_pb2.DEADLINE_EXCEEDED),
    Reason.DISCONNECTED: Answer(400, code_pb2.CANCELLED),
    Reason.BUSY: Answer(503, code_pb2.UNAVAILABLE),
    Reason.FULL: Answer(503, code_pb2.UNAVAILABLE),
    Reason.FAILED: Answer(503, code_pb2.UNAVAILABLE),
}
"""Only 503 and UNAVAILABLE are tried again by exporters (OTLP specification, "Failures")."""


class Refused(Exception):
    """A request is refused; ``retry_after_s`` says when it may be sent again, where that helps."""

    def __init__(self, reason: Reason, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.retry_after_s = retry_after_s

    @property
    def answer(self) -> Answer:
        """How it is said."""
        return ANSWERS[self.reason]

    def status(self) -> Status:
        """What the body of the answer holds, or its metadata."""
        status = Status(code=self.answer.grpc, message=self.message)
        if self.retry_after_s is not None:
            status.details.add().Pack(self.retry_info())
        return status

    def retry_info(self) -> RetryInfo:
        """When it may be sent again, as gRPC says it."""
        info = RetryInfo()
        info.retry_delay.FromSeconds(self.retry_after_s or 0)
        return info
