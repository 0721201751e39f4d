"""Keeps a script offline: whoever tries to leave the machine gets a ConnectionError, and is remembered."""

from __future__ import annotations

import sys
from typing import Any

LOCAL = {"127.0.0.1", "::1", "localhost", "0.0.0.0", "", None}  # noqa: S104 - addresses that may be reached
tried: list[str] = []
"""Hosts somebody tried to reach."""


def enforce() -> None:
    """From now on, for the rest of the process."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host not in LOCAL:
        tried.append(str(host))
        raise ConnectionError(f"{host} is not on this machine")
