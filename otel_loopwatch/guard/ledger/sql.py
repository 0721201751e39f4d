"""A journal in one table of an SQL database; that a key has each number once is its primary key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from otel_loopwatch.guard.ledger.base import Operation, OperationState
from otel_loopwatch.guard.ledger.journal import decode, encode

TABLE = "loopwatch_ledger"
SCHEMA = (
    f"""
    CREATE TABLE IF NOT EXISTS {TABLE} (
        key TEXT NOT NULL,
        number INTEGER NOT NULL,
        run TEXT NOT NULL,
        state TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (key, number)
    )
    """,
    f"CREATE INDEX IF NOT EXISTS {TABLE}_run ON {TABLE} (run, state)",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_state ON {TABLE} (state)",
)
"""``body`` is the operation as JSON; the other columns are for finding it."""

_APPEND = f"INSERT INTO {TABLE} (key, number, run, state, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"  # noqa: S608
_ENTRIES = f"SELECT body FROM {TABLE} WHERE key = ? ORDER BY number"  # noqa: S608
_LAST = f"{_ENTRIES} DESC LIMIT 1"
_LATEST = (
    f"SELECT body FROM {TABLE} AS entry WHERE NOT EXISTS (SELECT 1 FROM {TABLE} AS later"  # noqa: S608
    " WHERE later.key = entry.key AND later.number = entry.number + 1)"
)


class Database(Protocol):
    """A database that commits each statement by itself, with ``?`` for values; raises :class:`LedgerUnavailable`."""

    def read(self, statement: str, values: Sequence[str | int]) -> list[str]:
        """The first column of all rows."""
        ...

    def write(self, statement: str, values: Sequence[str | int]) -> int:
        """How many rows were written."""
        ...

    def close(self) -> None:
        """Free the connection."""
        ...


class SqlJournal:
    """A :class:`Journal` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def last(self, key: str) -> Operation | None:
        """The latest entry of a key."""
        return next(map(decode, self._database.read(_LAST, (key,))), None)

    def append(self, entry: Operation) -> bool:
        """Add an entry, unless its key has one of this number."""
        values = (entry.key, entry.number, entry.run, entry.state.value, encode(entry))
        return self._database.write(_APPEND, values) == 1

    def entries(self, key: str) -> tuple[Operation, ...]:
        """All entries of a key, in order."""
        return tuple(map(decode, self._database.read(_ENTRIES, (key,))))

    def latest(self, run: str | None, state: OperationState | None) -> tuple[Operation, ...]:
        """The latest entry of each key."""
        wanted = {"run": run, "state": state.value if state else None}
        given = {column: value for column, value in wanted.items() if value is not None}
        statement = _LATEST + "".join(f" AND {column} = ?" for column in given)
        return tuple(map(decode, self._database.read(statement, tuple(given.values()))))

    def close(self) -> None:
        """Free the connection."""
        self._database.close()
