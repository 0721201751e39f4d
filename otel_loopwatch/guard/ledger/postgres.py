"""The ledger in PostgreSQL, through psycopg 3 (extra ``postgres``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from otel_loopwatch.guard.ledger.held import Held
from otel_loopwatch.guard.ledger.journal import unavailable_on
from otel_loopwatch.guard.ledger.sql import SCHEMA, TABLE, SqlJournal

Connection = psycopg.Connection[tuple[str]]
Cursor = psycopg.Cursor[tuple[str]]
Taken = TypeVar("Taken")

CREATION_LOCK = 0x6C6F6F70
"""Number of the advisory lock under which the table is made."""


def postgres_journal(url: str, timeout_s: float) -> SqlJournal:
    """The journal in a database, in the first schema of the search path; its table is made where it is not there.

    :param timeout_s: how long to wait for a connection, in seconds (whole ones, 2 at least), and for a host that has
        gone away; the URL may say else. A server that is there and does not answer is waited for.
    :raises LedgerUnavailable: where the server cannot be reached or refuses.
    :raises ValueError: for a URL that libpq does not understand.
    """
    try:
        options: dict[str, Any] = dict(conninfo_to_dict(url))
    except psycopg.ProgrammingError as error:
        what, _, _ = str(error).partition(":")  # behind it may stand a piece of the password
        raise ValueError(f"ledger is postgresql://...; libpq does not understand it ({what})") from None
    return SqlJournal(_Postgres(_limits(timeout_s) | options))


def _limits(timeout_s: float) -> dict[str, int]:
    """Parameters of libpq; without them it waits for ever to connect, and hours for a host that is gone."""
    seconds = max(2, ceil(timeout_s))
    return {"connect_timeout": seconds, "keepalives_idle": seconds, "tcp_user_timeout": 1000 * seconds}


class _Postgres:
    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._held = Held(self._connect)
        self.read("SELECT 1", ())

    def read(self, statement: str, values: Sequence[str | int]) -> list[str]:
        with unavailable_on(psycopg.Error, "PostgreSQL"):
            return self._ask(statement, values, lambda cursor: [column for (column,) in cursor])

    def write(self, statement: str, values: Sequence[str | int]) -> int:
        with unavailable_on(psycopg.Error, "PostgreSQL"):
            try:
                return self._ask(statement, values, lambda cursor: cursor.rowcount)
            except psycopg.errors.SerializationFailure:  # somebody else was faster, and isolation is above the default
                return 0

    def close(self) -> None:
        self._held.close()

    def _ask(self, statement: str, values: Sequence[str | int], take: Callable[[Cursor], Taken]) -> Taken:
        """Ask, and once more where the connection turns out to be lost: a server that was restarted is no outage.

        An entry that did arrive the first time is then refused by its number, so nothing is granted twice.
        """
        statement = statement.replace("?", "%s")
        with self._held() as connection:
            try:
                return take(connection.execute(statement, values))
            except psycopg.OperationalError:
                if not connection.closed:
                    raise
            self._held.drop()
        with self._held() as connection:
            return take(connection.execute(statement, values))

    def _connect(self) -> Connection:
        # Prepared statements would be lost behind a pooler.
        connection: Connection = psycopg.connect(autocommit=True, prepare_threshold=None, **self._options)
        try:
            _create_table(connection)
        except psycopg.Error:
            connection.close()
            raise
        return connection


def _create_table(connection: Connection) -> None:
    """Make the table where it is not there. To ask first spares a role that may not create anything."""
    if connection.execute("SELECT 1 WHERE to_regclass(%s) IS NOT NULL", (TABLE,)).fetchone():
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATION_LOCK,))
        for statement in SCHEMA:
            connection.execute(statement)
