"""What a backend has to be: a journal to which the next entry of a key is added once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import msgspec

from otel_loopwatch.guard.ledger.base import LedgerUnavailable, Operation, OperationState


class Journal(Protocol):
    """Keeps, for each key, the operation as it stood after every change: entries numbered from 1, never altered.

    May be used from any thread, and in a forked child. Each method raises :class:`LedgerUnavailable` where the backend
    cannot be reached or does not answer.
    """

    def last(self, key: str) -> Operation | None:
        """The latest entry of a key."""
        ...

    def append(self, entry: Operation) -> bool:
        """Add an entry for good; False where its key already has one of this number. Atomic among all processes."""
        ...

    def entries(self, key: str) -> tuple[Operation, ...]:
        """All entries of a key, in order."""
        ...

    def latest(self, run: str | None, state: OperationState | None) -> tuple[Operation, ...]:
        """The latest entry of each key, of a run and in a state where they are given; in no order."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


def encode(entry: Operation) -> str:
    """One JSON object of ASCII only, so that NUL and lone surrogates in a result or note survive in every backend."""
    return json.dumps(msgspec.to_builtins(entry), separators=(",", ":"))


def decode(body: str | bytes) -> Operation:
    """What :func:`encode` wrote; fields of later versions are passed over."""
    with unavailable_on(_UNREADABLE, "The ledger holds an entry that cannot be read"):
        return msgspec.convert(json.loads(body), Operation)


_UNREADABLE = (ValueError, RecursionError, msgspec.MsgspecError)


@contextmanager
def unavailable_on(errors: type[Exception] | tuple[type[Exception], ...], what: str) -> Iterator[None]:
    """Errors of a backend as the one that a ledger has."""
    try:
        yield
    except errors as error:
        cause = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise LedgerUnavailable(f"{what} ({cause:.300})") from error
