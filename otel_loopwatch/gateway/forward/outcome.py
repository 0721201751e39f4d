"""What became of one try to send a request, by the rules of OTLP, whatever the transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from otel_loopwatch.gateway.signal import Request


@dataclass(frozen=True, slots=True)
class Taken:
    """The downstream has it; of a partial success it has the rest, and wants nothing again."""

    rejected: int = 0
    """Spans, log records or data points it did not take."""
    message: str = ""
    """Why, or a warning."""


@dataclass(frozen=True, slots=True)
class Again:
    """Not now; the same request may be taken later."""

    reason: str
    """One of few: a status, or the name of an error."""
    after_s: float | None = None
    """The seconds the downstream asks to wait."""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """Never; it is not to be sent again."""

    reason: str
    """One of few: a status, or the name of an error."""
    message: str = ""


Outcome = Taken | Again | Refused


class Downstream(Protocol):
    """Where requests go. May be called from several threads at once."""

    def send(self, request: Request) -> Outcome:
        """Try once, within a bounded time. Whatever goes wrong with the other side is an outcome, no exception."""

    def close(self) -> None:
        """Let go of connections; nothing is sent any more."""
