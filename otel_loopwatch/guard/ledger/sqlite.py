"""The ledger in an SQLite file on a local disk, or in memory: the default, without a server."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from otel_loopwatch.guard.ledger.held import Held
from otel_loopwatch.guard.ledger.journal import unavailable_on
from otel_loopwatch.guard.ledger.sql import SCHEMA, SqlJournal

MEMORY = ":memory:"
"""A database of this process alone, gone when it is closed."""
RETRY_S = 0.01


def sqlite_journal(path: str, timeout_s: float) -> SqlJournal:
    """The journal in a file, which is made where it is not there.

    :param timeout_s: how long to wait for a file that another process has locked, in seconds.
    :raises LedgerUnavailable: where the file cannot be opened or is no such database.
    """
    return SqlJournal(_Sqlite(path, timeout_s))


class _Sqlite:
    def __init__(self, path: str, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._held = Held(self._connect, only_here=path == MEMORY)
        self.read("SELECT 1", ())

    def read(self, statement: str, values: Sequence[str | int]) -> list[str]:
        with unavailable_on(sqlite3.Error, "SQLite"), self._held() as connection:
            return [column for (column,) in connection.execute(statement, values)]

    def write(self, statement: str, values: Sequence[str | int]) -> int:
        with unavailable_on(sqlite3.Error, "SQLite"), self._held() as connection:
            return connection.execute(statement, values).rowcount

    def close(self) -> None:
        self._held.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=self._timeout_s, isolation_level=None, check_same_thread=False)
        try:
            self._set_up(connection)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        """Of processes that open a new file at once, SQLite refuses some without waiting."""
        deadline = time.monotonic() + self._timeout_s
        while not _created(connection, last_try=time.monotonic() > deadline):
            time.sleep(RETRY_S)


def _created(connection: sqlite3.Connection, last_try: bool) -> bool:
    """Whether the table is there; made where it is not, and the file is not locked."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # NORMAL loses the latest entries with the power
        for statement in SCHEMA:
            connection.execute(statement)
    except sqlite3.OperationalError as error:
        if last_try or "locked" not in str(error):
            raise
        return False
    return True
