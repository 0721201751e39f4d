"""A page of another site must not reach a gateway on loopback under a name of its own (DNS rebinding)."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from otel_loopwatch.control.address import is_loopback


def under_its_own_name(connection: HTTPConnection) -> bool:
    """Whether a connection to this machine's loopback asks for this machine, as browsers say in ``Host``.

    Elsewhere any name will do: there, a token is what keeps others out.
    """
    server = connection.scope.get("server")
    if server is None or not is_loopback(server[0]):
        return True
    return is_loopback(_name(connection.headers.get("host", "")))


def _name(host: str) -> str:
    """Without the port, and without the brackets of IPv6."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()
