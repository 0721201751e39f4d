"""A scripted model behind the HTTP interfaces of OpenAI (chat completions, responses) and Anthropic (messages).

It listens on 127.0.0.1 only. Each agent talks to a session of its own, ``http://127.0.0.1:PORT/SESSION/v1``: the
session's n-th request gets the n-th step of its script, and later ones the final answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

import wire
from scenarios import ANSWER, Step


class Session:
    """One agent's script, and how far it has come."""

    def __init__(self, name: str, steps: Sequence[Step]) -> None:
        self.name = name
        self.requests = 0
        self._steps = iter(steps)
        self._lock = Lock()

    def reply(self, asked: object = None) -> wire.Reply:
        """The next response of the model, whatever it was ``asked``. Call ids are unique, as a real model's are."""
        with self._lock:
            self.requests += 1
            calls = next(self._steps, ())
            ids = [f"{self.name}-{self.requests}-{at}" for at, _ in enumerate(calls)]
            return wire.Reply(f"{self.name}-{self.requests}", tuple(zip(ids, calls, strict=True)), ANSWER)


class AgentServer:
    """The server and its sessions."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._http.server_address[1]}"
        Thread(target=self._http.serve_forever, daemon=True).start()

    def open(self, name: str, steps: Sequence[Step]) -> Session:
        """A new session."""
        self.sessions[name] = session = Session(name, steps)
        return session

    def url(self, session: Session) -> str:
        """Base of a session's address."""
        return f"{self.base}/{session.name}"

    def close(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()


def _handler(server: AgentServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing: what matters is counted."""

        def do_POST(self) -> None:
            """Answer one request of a model client."""
            asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            name, _, path = self.path.lstrip("/").partition("/")
            interface = next((known for known in wire.INTERFACES if path.split("?")[0].endswith(known)), None)
            session = server.sessions.get(name)
            if interface is None or session is None:
                self._send(404, "application/json", b"{}")
                return
            whole, events = wire.INTERFACES[interface](session.reply(asked), asked)
            if asked.get("stream"):
                self._send(200, "text/event-stream", b"".join(_lines(events)))
            else:
                self._send(200, "application/json", json.dumps(whole).encode())

        def _send(self, status: int, content: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", content)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _lines(events: wire.Events) -> Iterator[bytes]:
    for name, data in events:
        named = f"event: {name}\n" if name else ""
        yield f"{named}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()
