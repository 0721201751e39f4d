"""Server-sent events: what changes, as it changes, and after a broken connection from where it broke."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Send

from otel_loopwatch.gateway.api import questions
from otel_loopwatch.gateway.api.answers import HEADERS, Refused
from otel_loopwatch.gateway.api.runs import LARGEST_VERSION
from otel_loopwatch.gateway.board import Board, Event, Told
from otel_loopwatch.gateway.waiters import Change, Topic

STILL_HERE = b": still here\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How events are sent, seconds."""

    still_here_s: float = 15.0
    """Between two comments, where nothing else is said: a client tells by them that the connection stands."""
    between_s: float = 0.1
    """Two messages about runs; a run that changes faster is told as it is then."""
    slow_s: float = 10.0
    """After which a client that takes nothing is dropped. It comes again, and goes on where it was."""
    retry_s: float = 1.0
    """After which a client that was dropped comes again."""


@dataclass(frozen=True, slots=True)
class Listening:
    """What a client is told of."""

    events: frozenset[Event]
    run: str | None
    since: int

    @property
    def topic(self) -> Topic:
        """What it is woken by."""
        return Topic(Change.DECISION if self.events == {Event.DECISION} else Change.RUN, self.run)


class EventsApi:
    """Endpoint of events."""

    def __init__(self, board: Board, pace: Pace) -> None:
        self._board = board
        self._pace = pace

    async def listen(self, request: Request) -> Response:
        """``GET /v1/events``."""
        if self._board.waiters.closed:
            raise Refused(503, "the gateway is about to end")
        return _Stream(self._told(self._asked(request)), self._pace.slow_s)

    def _asked(self, request: Request) -> Listening:
        asked = request.query_params
        run = asked.get("run")
        said = [name for name in asked.get("events", "").split(",") if name]
        return Listening(
            events=frozenset(questions.one_of(Event, "events", name) for name in said) or frozenset(Event),
            run=self._board.key_of(run) if run else None,
            since=self._since(request),
        )

    def _since(self, request: Request) -> int:
        """Where the client was, as its browser says or it says itself; a new one is told what happens from now on."""
        last = request.headers.get("last-event-id")
        if last is None:
            return questions.number(request, "since", self._board.version, LARGEST_VERSION)
        if not (last.isascii() and last.isdigit() and len(last) < 20):
            raise Refused(400, f"Last-Event-ID is {last[:40]!r}; it must be that of an event")
        return int(last)

    async def _told(self, listening: Listening) -> AsyncIterator[bytes]:
        """Nothing is queued: what changed since the last message is asked of the board when that was sent."""
        version, waiters, now = listening.since, self._board.waiters, asyncio.get_running_loop().time
        yield b"retry: %d\n\n" % (self._pace.retry_s * 1000)
        until = now() + self._pace.still_here_s
        with waiters.waiting(listening.topic) as waiter:
            while not waiters.closed:
                told = self._board.told_since(version, listening.events, listening.run)
                if told or now() >= until:
                    version = told[-1].version if told else version
                    yield b"".join(map(_message, told)) or STILL_HERE
                    until = now() + self._pace.still_here_s
                if listening.topic.change is Change.RUN:
                    await asyncio.sleep(self._pace.between_s)
                if not told:
                    await waiter.changed(until - now())


class _Stream(StreamingResponse):
    """Ends where the client takes nothing for too long."""

    def __init__(self, told: AsyncIterator[bytes], slow_s: float) -> None:
        super().__init__(told, headers={**HEADERS, "X-Accel-Buffering": "no"}, media_type="text/event-stream")
        self._slow_s = slow_s

    async def stream_response(self, send: Send) -> None:
        """Send what is told, each message in time."""

        async def in_time(message: Message) -> None:
            await asyncio.wait_for(send(message), self._slow_s)

        try:
            await super().stream_response(in_time)
        except asyncio.TimeoutError:
            return


def _message(told: Told) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        told.version, told.event.value.encode(), msgspec.json.encode(told.data),
    )  # fmt: skip
