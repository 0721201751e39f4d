"""The gateway as a hook asks it: one request per connection, in HTTP/1.0, which is all that takes.

Python's own client takes longer to import than a gateway on the same machine to answer.
"""

from __future__ import annotations

import json
import re
import socket
from typing import NamedTuple

_URL = re.compile(r"(https?)://(\[[0-9a-fA-F:.]+\]|[^\s/:@?#\[\]]+)(?::(\d{1,5}))?(/[^\s?#]*)?", re.ASCII)
_PORTS = {"http": 80, "https": 443}
MAX_ANSWER_BYTES = 1 << 20
OK, UNKNOWN = 200, 404


class Halt(NamedTuple):
    """A run is to end."""

    by: str
    reason: str
    advice: str


class Gateway(NamedTuple):
    """Where the gateway is, and how long one exchange with it may take."""

    scheme: str
    host: str
    port: int
    path: str
    token: str
    timeout_s: float

    @classmethod
    def at(cls, url: str, token: str, timeout_s: float) -> Gateway:
        """The gateway at a URL. ``ValueError`` for what is none, and for a token that no header can carry."""
        found = _URL.fullmatch(url)
        if found is None or int(found[3] or 1) not in range(1, 1 << 16):
            raise ValueError(f"gateway: {url!r} must be an http or https URL without user, query or fragment")
        if not re.fullmatch(r"[\x21-\x7e]*", token):
            raise ValueError("token: must be printable ASCII without blanks")
        scheme, host, port, path = found[1], found[2].strip("[]"), found[3], (found[4] or "").rstrip("/")
        return cls(scheme, host, int(port or _PORTS[scheme]), path, token, timeout_s)

    def halt(self, trace_id: str) -> Halt | None:
        """Whether the run of a trace is to end. ``OSError`` or ``ValueError`` where nobody says so."""
        status, answer = self._exchange("GET", f"/v1/decisions/{trace_id}")
        if status not in (OK, UNKNOWN):
            raise ValueError(f"status {status}")
        decision = _decision(status, answer)
        if decision["action"] != "halt":
            return None
        by, reason, advice = (str(decision.get(key, "")) for key in ("by", "reason", "advice"))
        return Halt(by, reason, advice)

    def report(self, spans: bytes) -> None:
        """An export request of spans, as OTLP/JSON. ``OSError`` or ``ValueError`` where it was not taken."""
        status, _ = self._exchange("POST", "/v1/traces", spans)
        if status != OK:
            raise ValueError(f"status {status}")

    def _exchange(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        with socket.create_connection((self.host, self.port), self.timeout_s) as plain, self._over(plain) as connection:
            connection.sendall(self._head(method, path, len(body)) + body)
            head, _, answer = _received(connection).partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.[01] (\d{3})\b", head)
        if status is None:
            raise ValueError("no HTTP response")
        return int(status[1]), answer

    def _over(self, plain: socket.socket) -> socket.socket:
        if self.scheme == "http":
            return plain
        import ssl

        return ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)

    def _head(self, method: str, path: str, length: int) -> bytes:
        host = f"[{self.host}]" if ":" in self.host else self.host
        lines = [f"{method} {self.path}{path} HTTP/1.0", f"Host: {host}:{self.port}", "Connection: close"]
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        if length:
            lines += ["Content-Type: application/json", f"Content-Length: {length}"]
        return "\r\n".join([*lines, "", ""]).encode()


def _decision(status: int, answer: bytes) -> dict[str, object]:
    """The decision in an answer; that on a run the gateway does not know stands in the answer's own."""
    decision = json.loads(answer)
    if status == UNKNOWN and isinstance(decision, dict):
        decision = decision.get("decision")
    if not isinstance(decision, dict) or not isinstance(decision.get("action"), str):
        raise ValueError("an answer that is no decision")
    return decision


def _received(connection: socket.socket) -> bytes:
    parts, size = [], 0
    while part := connection.recv(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise ValueError(f"an answer of more than {MAX_ANSWER_BYTES} bytes")
    return b"".join(parts)
