"""Follows the decisions of a gateway over HTTP, as server-sent events."""

from __future__ import annotations

import encodings.idna  # noqa: F401 - looking a name up imports it, in a thread that a fork may cut off
import logging
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection

import msgspec

from otel_loopwatch.control.address import WORDS, Address, address, without_path
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.events import events
from otel_loopwatch.control.follower import Listener
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

PATH = "/v1/events?events=decision"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the gateway may be silent, seconds."""

    connect_s: float = 5.0
    silence_s: float = 45.0
    """Before it answers, and between two lines: a gateway says something every 15 s."""


class NotFollowed(HTTPException):
    """The gateway answered with something else than events."""


class HttpFollower:
    """Follows a gateway at a URL; no redirect is followed, no proxy used.

    ``insecure`` permits plain http to other machines, ``context`` is the TLS to use instead of the platform's.

    :raises ValueError: naming the field, its value and the rule it breaks.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        insecure: bool = False,
        context: ssl.SSLContext | None = None,
        patience: Patience | None = None,
    ) -> None:
        known = address(url, insecure)
        if known is None or "?" in known.target:
            raise ValueError(f"url is {without_path(url)!r}; it must be {WORDS}, and have no query")
        if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token != ""):
            raise ValueError("token is (not shown); it must be printable ASCII")
        self._address = known
        self._token = token
        self._context = context
        self._patience = patience or Patience()
        self._last = "0"
        self._stopped = False
        self._socket: socket.socket | None = None

    def follow(self, listener: Listener) -> None:
        """Tell decisions until the connection ends; the next one goes on from the last event.

        Raises OSError, HTTPException or ValueError where it is no connection to a gateway.
        """
        connection = self._connected()
        try:
            if not self._stopped:
                self._listen(connection, listener)
        finally:
            connection.close()

    def stop(self) -> None:
        """Cut the connection."""
        self._stopped = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> HTTPConnection:
        known, patience = self._address, self._patience
        connection = _connection(known, patience.connect_s, self._context)
        connection.connect()
        connection.sock.settimeout(patience.silence_s)
        self._socket = connection.sock
        return connection

    def _listen(self, connection: HTTPConnection, listener: Listener) -> None:
        connection.request("GET", self._address.target.rstrip("/") + PATH, headers=self._headers())
        response = connection.getresponse()
        if response.status != 200 or response.headers.get_content_type() != "text/event-stream":
            raise NotFollowed(f"status {response.status}, {response.headers.get_content_type()}")
        for event in events(response):
            if event.name == "decision":
                _tell(listener, event.data)
                self._last = event.id or self._last
            listener.heard()

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "text/event-stream", "User-Agent": "otel-loopwatch", "Last-Event-ID": self._last}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers


def _tell(listener: Listener, data: bytes) -> None:
    """One decision; what a later gateway says in words of its own is left out, and not asked for again."""
    try:
        listener.decided(msgspec.json.decode(data, type=RunDecision))
    except (msgspec.MsgspecError, UnicodeError) as error:
        log.warning("A decision of the gateway cannot be read: %s", error)


def _connection(known: Address, timeout: float, context: ssl.SSLContext | None) -> HTTPConnection:
    if not known.tls:
        return HTTPConnection(known.host, known.port, timeout=timeout)
    return HTTPSConnection(known.host, known.port, timeout=timeout, context=context or ssl.create_default_context())
