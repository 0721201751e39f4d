"""A ledger that cannot answer says so in one way, so that nothing runs without it."""

from __future__ import annotations

import logging
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from guard.ledger import servers
from guard.ledger.servers import Backend
from guard.ledger.telling import claim

from otel_loopwatch.guard.ledger import ClaimOutcome, Ledger, LedgerUnavailable, OperationState, open_ledger
from otel_loopwatch.guard.ledger.journal import encode
from otel_loopwatch.guard.ledger.sqlite import _Sqlite
from otel_loopwatch.guard.ledger.transitions import grant

if TYPE_CHECKING:
    import psycopg

ASKED: tuple[Callable[[Ledger], object], ...] = (
    lambda ledger: ledger.claim(claim("b")),
    lambda ledger: ledger.complete("a", "one"),
    lambda ledger: ledger.release("a", "one"),
    lambda ledger: ledger.doubt("a", "one"),
    lambda ledger: ledger.resolve("a", OperationState.DONE, "Mia"),
    lambda ledger: ledger.get("a"),
    lambda ledger: ledger.history("a"),
    lambda ledger: ledger.operations(),
)


def check_unavailable(ledger: Ledger, told: str) -> None:
    """Whatever is asked, there is no answer."""
    for ask in ASKED:
        with pytest.raises(LedgerUnavailable, match=told):
            ask(ledger)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("{}/no/such/folder/ledger.db", r"^SQLite \(OperationalError: unable to open"),
        ("{}", r"^SQLite \(OperationalError: unable to open"),
        ("{}/broken.db", r"^SQLite \(DatabaseError: file is not a database"),
        ("postgresql:///postgres?host={}&user=nobody", r"^PostgreSQL \(OperationalError: connection"),
        ("redis://127.0.0.1:1/0", r"^Redis \(ConnectionError: .*refused"),
    ],
)
def test_what_cannot_be_opened_is_unavailable(tmp_path: Path, url: str, told: str) -> None:
    """The message names the backend and the cause."""
    (tmp_path / "broken.db").write_bytes(b"no database at all " * 1000)
    if url.startswith(("postgresql", "redis")):
        pytest.importorskip("psycopg" if url.startswith("postgresql") else "redis")
    with pytest.raises(LedgerUnavailable, match=told):
        open_ledger(url.format(tmp_path))


@pytest.mark.parametrize("backend", ["postgres", "redis"], indirect=True)
def test_a_server_that_goes_away_is_unavailable_until_it_is_back(backend: Backend, ledger: Ledger) -> None:
    """Nothing is remembered of the failure."""
    assert backend.server
    ledger.claim(claim("a"))
    backend.server.stop(backend.crash)
    try:
        check_unavailable(ledger, "^(PostgreSQL|Redis)")
    finally:
        backend.server.start()
    assert ledger.complete("a", "one")
    assert ledger.claim(claim("b")).outcome is ClaimOutcome.GRANTED


def test_a_redis_that_hangs_is_unavailable(redis_backend: Backend) -> None:
    """It is waited for as long as was said."""
    assert redis_backend.server
    assert redis_backend.server.process
    with closing(open_ledger(redis_backend.url, timeout_s=0.3)) as ledger:
        redis_backend.server.process.send_signal(signal.SIGSTOP)
        try:
            for ask in ASKED[:2]:
                with pytest.raises(LedgerUnavailable, match=r"^Redis \(TimeoutError"):
                    ask(ledger)
        finally:
            redis_backend.server.process.send_signal(signal.SIGCONT)


def test_a_closed_ledger_is_unavailable(sqlite_backend: Backend) -> None:
    """It does not come back to life."""
    ledger = open_ledger(sqlite_backend.url)
    ledger.claim(claim("a"))
    ledger.close()
    check_unavailable(ledger, "closed")


def test_a_locked_file_is_unavailable(sqlite_backend: Backend) -> None:
    """Once it has been waited for; and available when the lock is gone."""
    with closing(open_ledger(sqlite_backend.url, timeout_s=0.02)) as ledger:
        ledger.claim(claim("a"))
        with closing(sqlite3.connect(sqlite_backend.url, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            for ask in ASKED[:2]:
                with pytest.raises(LedgerUnavailable, match=r"^SQLite \(OperationalError: database is locked\)"):
                    ask(ledger)
        assert ledger.complete("a", "one")


def test_a_new_file_that_another_process_sets_up_is_waited_for(
    sqlite_backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself would refuse it at once."""
    with closing(sqlite3.connect(sqlite_backend.url, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        pauses: list[float] = []
        monkeypatch.setattr(time, "sleep", lambda pause: (pauses.append(pause), other.execute("COMMIT")))
        with closing(open_ledger(sqlite_backend.url)) as ledger:
            assert ledger.claim(claim()).outcome is ClaimOutcome.GRANTED
    assert len(pauses) == 1


def test_a_new_file_that_stays_locked_is_unavailable(sqlite_backend: Backend) -> None:
    """Opening it waits as long as was said, no longer."""
    with closing(sqlite3.connect(sqlite_backend.url, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerUnavailable, match="locked"):
            open_ledger(sqlite_backend.url, timeout_s=0.02)


def test_a_file_keeps_what_was_committed_when_power_fails(sqlite_backend: Backend) -> None:
    """As far as SQLite can promise it: a log that is written ahead, and to the disk before each answer."""
    database = _Sqlite(sqlite_backend.url, 1)
    with closing(database), database._held() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_file_that_breaks_is_unavailable(sqlite_backend: Backend) -> None:
    """Its entries were overwritten while nobody had it open; what is left of it would open."""
    with closing(open_ledger(sqlite_backend.url)) as ledger:
        for number in range(50):
            ledger.claim(claim(f"k{number}"))
    path = Path(sqlite_backend.url)
    good = path.read_bytes()
    path.write_bytes(good[:8192] + b"\xff" * (len(good) - 8192))
    with pytest.raises(LedgerUnavailable, match="malformed"), closing(open_ledger(sqlite_backend.url)) as ledger:
        ledger.claim(claim("k7"))


@pytest.mark.parametrize("body", ["", "{", "[]", '{"key": "a"}', "[" * 100_000])
def test_an_entry_that_cannot_be_read_is_unavailable(sqlite_backend: Backend, body: str) -> None:
    """Somebody wrote into the table; what it meant is not guessed."""
    with closing(open_ledger(sqlite_backend.url)) as ledger:
        ledger.claim(claim("a"))
        with closing(sqlite3.connect(sqlite_backend.url)) as other, other:
            other.execute("UPDATE loopwatch_ledger SET body = ?", (body,))
        with pytest.raises(LedgerUnavailable, match="holds an entry that cannot be read"):
            ledger.claim(claim("a"))


def test_a_role_without_rights_is_told(postgres_backend: Backend) -> None:
    """It uses a table that was made for it, and makes none itself."""
    import psycopg

    with closing(psycopg.connect(postgres_backend.url, autocommit=True)) as admin:
        schema = str(admin.execute("SELECT current_schema()").fetchone()[0])  # type: ignore[index]
        admin.execute(f"CREATE ROLE {schema} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {schema}")
        url = postgres_backend.url.replace("user=ledger", f"user={schema}")
        with pytest.raises(LedgerUnavailable, match="permission denied for schema"):
            open_ledger(url)
        open_ledger(postgres_backend.url).close()
        admin.execute(f"GRANT SELECT, INSERT ON loopwatch_ledger TO {schema}")
        with closing(open_ledger(url)) as ledger:
            assert ledger.claim(claim()).outcome is ClaimOutcome.GRANTED
            assert ledger.complete("refund-7", "one")


@contextmanager
def entry_under_way(backend: Backend) -> Iterator[psycopg.Connection[tuple[str]]]:
    """The first entry of an operation, written by somebody else who has not committed it yet."""
    import psycopg

    entry = grant(claim(owner="two", run="s"), None, time.time_ns())
    values = (entry.key, entry.number, entry.run, entry.state.value, encode(entry))
    with closing(psycopg.connect(backend.url)) as other:
        other.execute(
            "INSERT INTO loopwatch_ledger (key, number, run, state, body) VALUES (%s, %s, %s, %s, %s)", values
        )
        yield other


@pytest.mark.parametrize("level", ["read%5C%20committed", "repeatable%5C%20read", "serializable"])
def test_the_isolation_of_the_database_does_not_matter(postgres_backend: Backend, level: str) -> None:
    """Who waits for an entry of somebody else's is refused as usual, though the database may call it a failure."""
    import psycopg

    url = f"{postgres_backend.url}%20-cdefault_transaction_isolation%3D{level}"
    with (
        closing(open_ledger(url)) as ledger,
        entry_under_way(postgres_backend) as other,
        closing(psycopg.connect(postgres_backend.url, autocommit=True)) as admin,
        ThreadPoolExecutor(1) as pool,
    ):
        answer = pool.submit(ledger.claim, claim())
        deadline = time.monotonic() + servers.PATIENCE_S
        while admin.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone() is None:
            assert time.monotonic() < deadline
        other.commit()
        assert answer.result().outcome is ClaimOutcome.BUSY


def test_a_statement_that_the_server_ends_is_unavailable(postgres_backend: Backend) -> None:
    """The connection is good all the same."""
    url = f"{postgres_backend.url}%20-cstatement_timeout%3D300"
    with closing(open_ledger(url)) as ledger:
        with entry_under_way(postgres_backend), pytest.raises(LedgerUnavailable, match="QueryCanceled"):
            ledger.claim(claim())
        assert ledger.claim(claim()).outcome is ClaimOutcome.GRANTED


@pytest.fixture
def forgetful_redis() -> Iterator[servers.Server]:
    """A Redis as a cache has it."""
    pytest.importorskip("redis", reason="redis-py is not installed")
    if servers.REDIS is None:
        pytest.skip("redis-server is not installed")
    with servers.redis("--maxmemory-policy", "allkeys-lru", "--appendonly", "no") as server:
        yield server


def test_a_redis_that_forgets_is_no_ledger(forgetful_redis: servers.Server, caplog: pytest.LogCaptureFixture) -> None:
    """One that evicts keys is refused; one that forgets them when it stops is warned of."""
    import redis

    with pytest.raises(ValueError, match=r"maxmemory-policy is allkeys-lru; .* must have noeviction"):
        open_ledger(forgetful_redis.url)
    with redis.Redis.from_url(forgetful_redis.url) as client:
        client.config_set("maxmemory-policy", "noeviction")
    with caplog.at_level(logging.WARNING, "otel_loopwatch"):
        open_ledger(forgetful_redis.url).close()
    assert "keeps no append-only file" in caplog.text


def test_what_is_done_is_not_looked_at_for_what_is_not(redis_backend: Backend) -> None:
    """The lists of the states hold what is in them now, or a long history would make each look at them slow."""
    import redis

    with closing(open_ledger(redis_backend.url)) as ledger, redis.Redis.from_url(redis_backend.url) as client:
        for key in ("a", "b", "c"):
            ledger.claim(claim(key))
        ledger.complete("a", "one")
        ledger.doubt("b", "one")
        held = {state.value: client.scard(f"{{loopwatch_ledger}}:state:{state.value}") for state in OperationState}
    assert held == {"claimed": 1, "done": 1, "released": 0, "in_doubt": 1}


def test_a_redis_that_is_full_is_unavailable(redis_backend: Backend) -> None:
    """It refuses what it cannot keep, and keeps what it has."""
    import redis

    with closing(open_ledger(redis_backend.url)) as ledger, redis.Redis.from_url(redis_backend.url) as client:
        ledger.claim(claim("a"))
        client.config_set("maxmemory", 1)
        try:
            with pytest.raises(LedgerUnavailable, match=r"OutOfMemory|OOM"):
                ledger.claim(claim("b"))
            assert ledger.claim(claim("a", run="s")).outcome is ClaimOutcome.BUSY
        finally:
            client.config_set("maxmemory", 0)
        assert ledger.get("b") is None
        assert ledger.claim(claim("b")).outcome is ClaimOutcome.GRANTED
