"""The three signals of OTLP, and a request as the gateway keeps it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Signal(str, Enum):
    """A signal: its value is the last part of its path, ``/v1/traces``."""

    TRACES = "traces"
    """Spans."""
    LOGS = "logs"
    """Log records, events among them."""
    METRICS = "metrics"
    """Data points."""


class Request(NamedTuple):
    """An export request as it was received, always as protobuf."""

    signal: Signal
    body: bytes
    """A serialised ``Export...ServiceRequest``."""
