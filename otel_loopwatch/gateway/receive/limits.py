"""How much is taken in at a time, and how slowly."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Limits:
    """What one gateway takes in.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    body_bytes: int = 20 << 20
    """One request, as it comes and unpacked; what OTLP recommends."""
    buffered_bytes: int = 256 << 20
    """Bodies of all HTTP requests that are being read, together."""
    header_bytes: int = 16 << 10
    """Names and values of one request's headers."""
    headers: int = 100
    """Their number."""
    head_s: float = 10.0
    """Until the headers of a request are complete, from the connection's beginning or the end of the one before."""
    body_s: float = 30.0
    """Until a body is complete."""
    idle_s: int = 75
    """Until a connection is closed over which nothing comes: longer than exporters wait between two exports."""
    connections: int = 4096
    """HTTP connections at a time; agents that wait for a decision hold one each."""
    calls: int = 16
    """gRPC calls at a time of one connection; further ones wait at the client."""
    all_calls: int = 1024
    """gRPC calls at a time of all connections; further ones are refused."""
    threads: int = 4
    """That unpack, check and keep requests."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise ValueError(f"{field.name} is {value!r}; it must be a number greater than 0")
