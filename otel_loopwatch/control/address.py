"""Where a webhook may lead: the address, read and checked before anything is sent there."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

WORDS = "an https address with a host and no user name, or http to this machine (any host where insecure is true)"


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a URL that a request needs."""

    tls: bool
    host: str
    port: int | None
    target: str
    """Path and query."""


def address(url: object, insecure: bool = False) -> Address | None:
    """The address of a URL; None where it is none, or one to which reports must not go."""
    if not isinstance(url, str) or not (url.isascii() and url.isprintable()) or " " in url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or "@" in parts.netloc or not _permitted(parts, insecure):
        return None
    path = parts.path or "/"
    return Address(parts.scheme == "https", parts.hostname, port, f"{path}?{parts.query}" if parts.query else path)


def without_path(url: object) -> object:
    """The URL as an error or a log may show it: paths, queries and user names hold the keys of many receivers."""
    if not isinstance(url, str):
        return url
    scheme, mark, rest = url.partition("://")
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme}{mark}{host}/..." if mark else "..."


def _permitted(parts: SplitResult, insecure: bool) -> bool:
    return parts.scheme == "https" or (parts.scheme == "http" and (insecure or is_loopback(parts.hostname or "")))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
