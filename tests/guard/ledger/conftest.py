"""Every backend of the ledger, empty, for each test that asks for one."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from guard.ledger import servers
from guard.ledger.servers import Backend
from guard.ledger.telling import Clock

from otel_loopwatch.guard.ledger import Ledger, open_ledger


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[servers.Server]:
    """One PostgreSQL for all tests."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    if servers.POSTGRES is None:
        pytest.skip("PostgreSQL is not installed")
    with servers.postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[servers.Server]:
    """One Redis for all tests."""
    pytest.importorskip("redis", reason="redis-py is not installed")
    if servers.REDIS is None:
        pytest.skip("redis-server is not installed")
    with servers.redis() as server:
        yield server


@pytest.fixture
def sqlite_backend(tmp_path: Path) -> Backend:
    """A file."""
    return Backend(str(tmp_path / "ledger.db"))


@pytest.fixture
def postgres_backend(postgres_server: servers.Server, request: pytest.FixtureRequest) -> Backend:
    """A schema of the test's own."""
    import psycopg

    schema = f"test_{abs(hash(request.node.nodeid))}"
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    url = f"{postgres_server.url}&options=-csearch_path%3D{schema}"
    return Backend(url, postgres_server, signal.SIGQUIT)


@pytest.fixture
def redis_backend(redis_server: servers.Server) -> Backend:
    """The server, emptied."""
    import redis

    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    return Backend(redis_server.url, redis_server)


@pytest.fixture(params=["sqlite", "postgres", "redis"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each backend in turn."""
    found: Backend = request.getfixturevalue(f"{request.param}_backend")
    return found


@pytest.fixture
def clock() -> Clock:
    """A clock that moves when it is told to."""
    return Clock()


@pytest.fixture
def opened(backend: Backend, clock: Clock) -> Iterator[Callable[[], Ledger]]:
    """Opens the backend as a process of its own would, as often as wanted."""
    ledgers: list[Ledger] = []

    def once_more() -> Ledger:
        ledgers.append(open_ledger(backend.url, clock))
        return ledgers[-1]

    yield once_more
    for ledger in ledgers:
        ledger.close()


@pytest.fixture
def ledger(opened: Callable[[], Ledger]) -> Ledger:
    """The backend, opened."""
    return opened()
