"""Which backend a URL means."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from math import inf

from otel_loopwatch.guard.ledger.journal import Journal
from otel_loopwatch.guard.ledger.ledger import Ledger

FORMS = "a path, :memory:, sqlite:///path, postgresql://..., redis://... or rediss://..."


def open_ledger(url: str | os.PathLike[str], clock: Callable[[], int] = time.time_ns, timeout_s: float = 5.0) -> Ledger:
    """The ledger at a URL, ready for use: a file or a table is made where it is not there.

    Paths are those of SQLite files; ``sqlite:///ledger.db`` is relative, ``sqlite:////var/lib/ledger.db`` is not.

    :param clock: ns since the epoch.
    :param timeout_s: how long to wait for a locked file, a connection, or an answer of Redis, in seconds.
    :raises LedgerUnavailable: where the backend cannot be reached or refuses.
    :raises ValueError: for a URL of another form, a driver that is not installed, and a server that is no ledger.
    """
    if not 0 < timeout_s < inf:
        raise ValueError(f"timeout_s is {timeout_s!r}; it must be a number of seconds above 0")
    text = os.fspath(url)
    scheme, separator, _ = text.partition("://")
    backend = _BACKENDS.get(scheme) if separator else _path
    if backend is None:
        raise ValueError(f"ledger is {scheme}://...; it must be {FORMS}")
    try:
        return Ledger(backend(text, timeout_s), clock)
    except ImportError as error:
        extra = "redis" if scheme.startswith("redis") else "postgres"
        raise ValueError(
            f"ledger is {scheme}://...; it needs a driver ({error}): pip install 'otel-loopwatch[{extra}]'"
        ) from None


def _path(path: str, timeout_s: float) -> Journal:
    from otel_loopwatch.guard.ledger.sqlite import sqlite_journal

    if not path:
        raise ValueError(f"ledger is {path!r}; it must be {FORMS}")
    return sqlite_journal(path, timeout_s)


def _sqlite(url: str, timeout_s: float) -> Journal:
    host, slash, path = url.removeprefix("sqlite://").partition("/")
    if host or not slash or not path:
        raise ValueError(f"ledger is {url!r}; a file of SQLite is named as sqlite:///path, with three slashes")
    return _path(path, timeout_s)


def _postgres(url: str, timeout_s: float) -> Journal:
    from otel_loopwatch.guard.ledger.postgres import postgres_journal

    return postgres_journal(url, timeout_s)


def _redis(url: str, timeout_s: float) -> Journal:
    from otel_loopwatch.guard.ledger.redis import RedisJournal

    return RedisJournal(url, timeout_s)


_BACKENDS: dict[str, Callable[[str, float], Journal]] = {
    "sqlite": _sqlite,
    "postgresql": _postgres,
    "postgres": _postgres,
    "redis": _redis,
    "rediss": _redis,
}
