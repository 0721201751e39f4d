"""``google.rpc.Status``: what an error of OTLP says, over HTTP as over gRPC."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]


def message(status: bytes) -> str:
    """Its message; empty where the bytes are no status."""
    try:
        return str(Status.FromString(status).message)
    except DecodeError:
        return ""


def delay_s(status: bytes) -> float | None:
    """The seconds to wait that its details ask for; None where they ask for nothing."""
    info = RetryInfo()
    try:
        asks = any(detail.Unpack(info) for detail in Status.FromString(status).details)
    except DecodeError:
        return None
    return max(0.0, info.retry_delay.seconds + info.retry_delay.nanos / 1e9) if asks else None
