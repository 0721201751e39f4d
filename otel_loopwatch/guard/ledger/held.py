"""One connection per process, for one thread at a time, and none open while the process forks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

from otel_loopwatch.guard.ledger.base import LedgerUnavailable


class Closable(Protocol):
    """A connection of any driver."""

    def close(self) -> None:
        """End it."""
        ...


Connection = TypeVar("Connection", bound=Closable)


class Held(Generic[Connection]):
    """A connection that is made when it is needed, and made anew after it was lost or the process has forked.

    ``only_here`` says that what the connection leads to goes with it, as with a database in memory: it is then kept,
    and a forked child is refused.
    """

    def __init__(self, connect: Callable[[], Connection], only_here: bool = False) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._home = os.getpid() if only_here else None
        self._closed = False
        self.lock = RLock()
        if not only_here:
            with _making:
                _all.add(self)

    @contextmanager
    def __call__(self) -> Iterator[Connection]:
        """The connection, for this thread alone."""
        if self._home not in (None, os.getpid()):
            raise LedgerUnavailable("A ledger in memory stays in the process that opened it")
        with self.lock:
            if self._closed:
                raise LedgerUnavailable("The ledger was closed")
            if self._connection is None:
                self._connection = self._connect()
            yield self._connection

    def drop(self) -> None:
        """Close the connection; the next one to ask gets a new one."""
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def close(self) -> None:
        """Close the connection for good."""
        with self.lock:
            self._closed = True
            self.drop()


_making = Lock()
_all: WeakSet[Held[Any]] = WeakSet()
_stopped: list[Held[Any]] = []


def _before_fork() -> None:
    """A child that inherits a connection could end its parent's session or, with SQLite, undo its parent's locks."""
    _making.acquire()
    for held in tuple(_all):
        held.lock.acquire()
        _stopped.append(held)
    for held in _stopped:
        held.drop()


def _after_fork() -> None:
    for held in _stopped:
        held.lock.release()
    _stopped.clear()
    _making.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
