"""The ledger in Redis, through redis-py (extra ``redis``)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from otel_loopwatch.guard.ledger.base import Operation, OperationState
from otel_loopwatch.guard.ledger.journal import decode, encode, unavailable_on

log = logging.getLogger("otel_loopwatch")

PREFIX = "{loopwatch_ledger}:"
"""Before all keys; the braces keep them in one slot of a cluster, as a script needs them."""
NO_EVICTION = "noeviction"
BATCH = 500
"""Operations that are asked for at once."""

APPEND = """
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[3])
for place = 4, #KEYS do redis.call('SREM', KEYS[place], ARGV[3]) end
redis.call('SADD', KEYS[3], ARGV[3])
return 1
"""
"""Keys: the entries of the operation, the operations of the run, of the new state, and of each other state."""


class RedisJournal:
    """A :class:`~otel_loopwatch.guard.ledger.journal.Journal` in lists, one per operation.

    :param timeout_s: how long to wait for a connection or an answer, in seconds; the URL may say else.
    :raises LedgerUnavailable: where the server cannot be reached or refuses.
    :raises ValueError: for a URL that redis-py does not understand, and for a server that may evict keys.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        self._client = _client(url, timeout_s)
        self._append = self._client.register_script(APPEND)
        try:
            self._check_server()
        except BaseException:
            self.close()
            raise

    def last(self, key: str) -> Operation | None:
        """The latest entry of a key."""
        with unavailable_on(RedisError, "Redis"):
            body = self._client.lindex(_entries(key), -1)
        return None if body is None else decode(body)

    def append(self, entry: Operation) -> bool:
        """Add an entry, unless its key has one of this number."""
        others = (_in_state(state) for state in OperationState if state is not entry.state)
        keys = (_entries(entry.key), _of_run(entry.run), _in_state(entry.state), *others)
        with unavailable_on(RedisError, "Redis"):
            return bool(self._append(keys=keys, args=(entry.number - 1, encode(entry), entry.key)))

    def entries(self, key: str) -> tuple[Operation, ...]:
        """All entries of a key, in order."""
        with unavailable_on(RedisError, "Redis"):
            bodies = self._client.lrange(_entries(key), 0, -1)
        return tuple(map(decode, bodies))

    def latest(self, run: str | None, state: OperationState | None) -> tuple[Operation, ...]:
        """The latest entry of each key. What has moved on since its key was read is left out."""
        with unavailable_on(RedisError, "Redis"):
            found = tuple(map(decode, filter(None, self._last_of_each(self._keys(run, state)))))
        return tuple(each for each in found if run in (None, each.run) and state in (None, each.state))

    def close(self) -> None:
        """Free the connections."""
        self._client.close()

    def _keys(self, run: str | None, state: OperationState | None) -> Sequence[str]:
        states = (state,) if state else tuple(OperationState)
        sets = (_of_run(run),) if run is not None else tuple(map(_in_state, states))
        return tuple(self._client.sunion(sets))

    def _last_of_each(self, keys: Sequence[str]) -> Iterator[str]:
        for start in range(0, len(keys), BATCH):
            pipeline = self._client.pipeline(transaction=False)
            for key in keys[start : start + BATCH]:
                pipeline.lindex(_entries(key), -1)
            yield from pipeline.execute()

    def _check_server(self) -> None:
        """A server that evicts keys forgets operations, and they would run again."""
        with unavailable_on(RedisError, "Redis"):
            policy = self._client.info("memory").get("maxmemory_policy")
            kept = self._client.info("persistence").get("aof_enabled")
        if policy != NO_EVICTION:
            raise ValueError(f"maxmemory-policy is {policy}; a Redis that keeps a ledger must have {NO_EVICTION}")
        if not kept:
            log.warning(
                "The ledger's Redis keeps no append-only file: operations that it forgets when it stops may run again"
            )


def _client(url: str, timeout_s: float) -> Any:
    try:
        return Redis.from_url(
            url,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            decode_responses=True,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError:  # its text may hold a piece of the password
        raise ValueError("ledger is redis://...; redis-py does not understand it (is a / or @ not encoded?)") from None


def _entries(key: str) -> str:
    return f"{PREFIX}operation:{key}"


def _of_run(run: str) -> str:
    return f"{PREFIX}run:{run}"


def _in_state(state: OperationState) -> str:
    return f"{PREFIX}state:{state.value}"
