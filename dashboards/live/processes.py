"""Servers as child processes: found, started on loopback, waited for, and stopped."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

from live.api import fetched

DEADLINE_S = 30.0
"""For what another process does: reached only where it does not."""
POLL_S = 0.05
STOP_S = 10.0


class NotInstalled(Exception):
    """A program is not there; the message says where it comes from."""


def program(names: tuple[str, ...], package: str, variable: str | None = None) -> str:
    """The path of a program: what an environment variable names, or the first of ``names`` in the PATH.

    :raises NotInstalled: naming the ``package`` of Debian that holds it.
    """
    named = os.environ.get(variable) if variable is not None else None
    found = next(filter(None, map(shutil.which, (named,) if named else names)), None)
    if found is None:
        or_named = f", or name it in {variable}" if variable is not None else ""
        raise NotInstalled(f"{names[0]} is not installed (Debian package {package}{or_named})")
    return found


def free_address() -> str:
    """Host and port of loopback on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"127.0.0.1:{listening.getsockname()[1]}"


def until(holds: Callable[[], bool], what: str, deadline_s: float = DEADLINE_S) -> None:
    """Wait until something holds.

    :raises TimeoutError: saying ``what`` did not come to hold.
    """
    late = time.monotonic() + deadline_s
    while not holds():
        if time.monotonic() > late:
            raise TimeoutError(f"after {deadline_s:g} s still not so: {what}")
        time.sleep(POLL_S)


@contextmanager
def running(arguments: list[str], ready: str, log: Path) -> Iterator[None]:
    """A server while it runs: from when the page ``ready`` is there. What it says goes to ``log``.

    :raises RuntimeError: with the end of the log, where it ends before.
    """
    with log.open("wb") as out, subprocess.Popen(arguments, stdout=out, stderr=subprocess.STDOUT) as process:  # noqa: S603
        try:
            until(lambda: _is_ready(process, ready, log), f"{ready} answers")
            yield
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
            process.kill()


def _is_ready(process: subprocess.Popen[bytes], page: str, log: Path) -> bool:
    if process.poll() is not None:
        said = log.read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{process.args!r} ended with {process.returncode}: {said}")
    with suppress(OSError, HTTPException):
        return fetched(page)[0] == 200
    return False
