"""Servers of the tests' own: on a socket or a free port of this machine, in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE_S = 60.0
POSTGRES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None) or shutil.which("initdb")
REDIS = shutil.which("redis-server")


@dataclass
class Server:
    """A process that can be stopped in the middle of anything, and started again on the same data."""

    command: list[str]
    url: str
    answers: Callable[[], bool]
    options: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when it answers."""
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.options
        )
        deadline = time.monotonic() + PATIENCE_S
        while not self.answers():
            assert self.process.poll() is None, f"{self.command[0]} ended with {self.process.returncode}"
            assert time.monotonic() < deadline, f"{self.command[0]} does not answer"
            time.sleep(0.01)

    def stop(self, how: signal.Signals) -> None:
        """Returns when it is gone."""
        assert self.process
        self.process.send_signal(how)
        self.process.wait(PATIENCE_S)


@dataclass(frozen=True)
class Backend:
    """An empty ledger that nobody has opened."""

    url: str
    server: Server | None = None
    crash: signal.Signals = signal.SIGKILL

    def restart(self) -> None:
        """End the server as a crash does, and start it again. A file has no server."""
        if self.server:
            self.server.stop(self.crash)
            self.server.start()


@contextmanager
def postgres() -> Iterator[Server]:
    """A PostgreSQL with an empty database ``postgres``; it does not wait for the disk."""
    import psycopg

    assert POSTGRES
    programs = Path(POSTGRES).parent
    with tempfile.TemporaryDirectory(prefix="ledger-", ignore_cleanup_errors=True) as folder:
        as_user = _as_ordinary_user(folder)
        initdb = [str(programs / "initdb"), "-D", f"{folder}/data", "-U", "ledger", "-A", "trust"]
        subprocess.run(
            [*initdb, "--no-sync", "-E", "UTF8", "--no-locale"], check=True, stdout=subprocess.DEVNULL, **as_user
        )
        url = f"postgresql:///postgres?host={folder}&user=ledger"

        def answers() -> bool:
            try:
                psycopg.connect(url).close()
            except psycopg.OperationalError:
                return False
            return True

        command = [str(programs / "postgres"), "-D", f"{folder}/data", "-k", folder, "-F", "-c", "listen_addresses="]
        server = Server(command, url, answers, as_user)
        with _running(server, signal.SIGQUIT):
            yield server


@contextmanager
def redis(*flags: str) -> Iterator[Server]:
    """A Redis that writes each command to its append-only file before it answers."""
    from redis import Redis, RedisError

    assert REDIS
    with tempfile.TemporaryDirectory(prefix="ledger-") as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        url = f"redis://127.0.0.1:{port}/0"

        def answers() -> bool:
            with Redis.from_url(url) as client:
                try:
                    return bool(client.ping())
                except RedisError:
                    return False

        command = [REDIS, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly"]
        server = Server([*command, "yes", *flags], url, answers, {})
        with _running(server, signal.SIGKILL):
            yield server


@contextmanager
def _running(server: Server, end: signal.Signals) -> Iterator[None]:
    server.start()
    try:
        yield
    finally:
        server.stop(end)


def _as_ordinary_user(folder: str) -> dict[str, Any]:
    """What makes a subprocess run as somebody who owns the folder: PostgreSQL refuses root."""
    if os.getuid() != 0:
        return {}
    users = {user.pw_name: user for user in pwd.getpwall()}
    user = users.get("postgres") or users["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": folder}
