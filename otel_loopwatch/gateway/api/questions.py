"""What a request asks, read and checked."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TypeVar

import msgspec
from starlette.requests import Request

from otel_loopwatch.gateway.api.answers import Refused
from otel_loopwatch.gateway.orders import MAX_KEY

MAX_BODY = 16_384
"""Bytes."""

E = TypeVar("E", bound=Enum)
T = TypeVar("T")


def run_of(request: Request) -> str:
    """The run's key, or its trace's id, as the path has it."""
    run: str = request.path_params["run"]
    if len(run) > MAX_KEY:
        raise Refused(400, f"run has {len(run)} characters; it must have at most {MAX_KEY}")
    return run


def number(request: Request, name: str, default: int, most: int) -> int:
    """A whole number of the query, from 0 to ``most``."""
    said = request.query_params.get(name)
    if said is None:
        return default
    if not (said.isascii() and said.isdigit() and len(said) < 20 and int(said) <= most):
        raise Refused(400, f"{name} is {said[:40]!r}; it must be a whole number from 0 to {most}")
    return int(said)


def seconds(request: Request, name: str, most: float) -> float:
    """Seconds of the query; more than ``most`` are that many."""
    said = request.query_params.get(name, "0")
    try:
        value = float(said)
    except ValueError:
        value = -1.0
    if not value >= 0:  # nor is it not a number
        raise Refused(400, f"{name} is {said[:40]!r}; it must be a number of seconds")
    return min(value, most)


def one_of(kind: type[E], name: str, said: str) -> E:
    """A member of an enumeration, by its value."""
    try:
        return kind(said)
    except ValueError:
        raise Refused(400, f"{name} is {said[:40]!r}; it must be one of {_values(kind)}") from None


async def body(request: Request, kind: type[T]) -> T:
    """The body, JSON of that shape."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "Content-Type must be application/json")
    raw = b""
    async for piece in request.stream():
        raw += piece
        if len(raw) > MAX_BODY:
            raise Refused(413, f"the body must have at most {MAX_BODY} bytes")
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, f"the body cannot be read: {error}") from None


def _values(kind: Iterable[Enum]) -> str:
    return ", ".join(str(member.value) for member in kind)
