"""One POST, within bounds: no redirect is followed, no proxy used, no body read, and it ends in time."""

from __future__ import annotations

import encodings.idna  # noqa: F401 - looking a name up imports it, in a thread that a fork may cut off
import io
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from socket import socket
from ssl import create_default_context
from time import monotonic

from otel_loopwatch.control.address import Address

MAX_ANSWER_BYTES = 65_536
"""Read of an answer at most: its head. Its body is left unread."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long one try may take, seconds."""

    connect_s: float = 5.0
    answer_s: float = 10.0
    """From the request to the end of the answer's head, however slowly it drips."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the receiver said."""

    status: int
    retry_after: str | None = None
    """The header of this name."""

    def retry_after_s(self, now: float) -> float | None:
        """The seconds from ``now`` that the header asks for (RFC 9110, 10.2.3); None where it says nothing readable."""
        said = self.retry_after or ""
        if said.isascii() and said.isdigit():
            return float(said)
        try:
            return max(0.0, parsedate_to_datetime(said).timestamp() - now)
        except (TypeError, ValueError, OverflowError):
            return None


def post(address: Address, timeouts: Timeouts, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a body; raises OSError or HTTPException where no answer in HTTP comes back in time."""
    connection = _connection(address, timeouts.connect_s)
    try:
        connection.connect()
        connection.sock.settimeout(timeouts.answer_s)
        deadline = monotonic() + timeouts.answer_s
        connection.request("POST", address.target, body, dict(headers))
        with HTTPResponse(_Bounded(connection.sock, deadline), method="POST") as response:  # type: ignore[arg-type]
            response.begin()
            return Answer(response.status, response.headers["Retry-After"])
    finally:
        connection.close()


def _connection(address: Address, timeout: float) -> HTTPConnection:
    if not address.tls:
        return HTTPConnection(address.host, address.port, timeout=timeout)
    return HTTPSConnection(address.host, address.port, timeout=timeout, context=create_default_context())


class _Bounded(io.RawIOBase):
    """Reads a socket up to a deadline and a number of bytes: interim answers and headers have no end by themselves."""

    def __init__(self, sock: socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline
        self._left = MAX_ANSWER_BYTES

    def makefile(self, mode: str) -> io.BufferedReader:
        """What the standard library's parser asks a socket for."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """The next bytes; raises TimeoutError past the deadline, and ends where too many came."""
        left_s = self._deadline - monotonic()
        if left_s <= 0:
            raise TimeoutError("no whole answer in time")
        self._sock.settimeout(left_s)
        count = self._sock.recv_into(buffer[: self._left]) if self._left else 0
        self._left -= count
        return count
