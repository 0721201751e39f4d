"""What one gateway is told at its start."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.limits import Limits

MIB = 1 << 20


class Transport(str, Enum):
    """How requests are forwarded."""

    HTTP = "http"
    """OTLP/HTTP, as protobuf."""
    GRPC = "grpc"
    """OTLP/gRPC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """Where it listens, what it keeps, and where it forwards to.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    access: Access = field(default_factory=Access)
    limits: Limits = field(default_factory=Limits)
    http_port: int = 4318
    """Of OTLP/HTTP, the API and the page; 0 takes any that is free."""
    grpc_port: int | None = 4317
    """Of OTLP/gRPC; None: it is not received."""
    folder: Path = Path("otel-loopwatch-gateway")
    """Holds the audit log, the spool, the state of live runs, and what is written where there is no downstream."""
    downstream: Endpoint | None = None
    """Where everything is forwarded to; None: into files of OTLP JSON lines."""
    transport: Transport = Transport.HTTP
    spool_bytes: int = 1024 * MIB
    """Requests kept on disk at most; 0: they are kept in memory, and lost if the process dies."""
    memory_bytes: int = 256 * MIB
    """Requests kept in memory at most, where there is no spool."""
    window_s: float = 1.0
    """Spans of a trace wait so long for each other before they are judged and forwarded."""
    metrics_s: float = 60.0
    """Seconds between two exports of the gateway's own metrics to the downstream; 0: they are only at ``/metrics``."""
    drain_s: float = 20.0
    """Seconds to deliver what is kept, when it is told to stop."""

    def __post_init__(self) -> None:
        for name, most in (("http_port", 65_535), ("grpc_port", 65_535), ("window_s", 60), ("metrics_s", 86_400)):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= most:
                raise ValueError(f"{name} is {value}; it must be from 0 to {most}")
        for name, least in (("spool_bytes", 0), ("memory_bytes", MIB), ("drain_s", 0)):
            if not least <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least {least}")

    @property
    def spool(self) -> Path:
        """Folder of the spool."""
        return self.folder / "spool"

    @property
    def output(self) -> Path:
        """Folder of the files that stand in for a downstream."""
        return self.folder / "out"

    @property
    def audit(self) -> Path:
        """File of the audit log."""
        return self.folder / "audit.jsonl"

    @property
    def state(self) -> Path:
        """File of what is known of live runs, between two processes."""
        return self.folder / "state"
