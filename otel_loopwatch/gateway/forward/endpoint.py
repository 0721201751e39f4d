"""Where requests go: the settings that both transports of OTLP share, read and checked before anything is sent."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from otel_loopwatch.control.address import without_path

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Of a header (RFC 9110, 5.1)."""
VALUE = re.compile(r"[\x20-\x7e\t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OTLP endpoint. Certificates are always verified.

    :raises ValueError: naming the field, its value and the rule it breaks; headers by name only, they hold keys.
    """

    url: str
    """``http://host:4318`` or ``https://...``; with OTLP/HTTP a path before ``/v1/traces`` may follow."""
    headers: Mapping[str, str] = field(default_factory=dict)
    ca_file: Path | None = None
    """Certificates of those who may vouch for the endpoint, PEM; None: those the system trusts."""
    gzip: bool = False
    """Compress bodies."""
    timeout_s: float = 10.0
    """How long the other side may be silent in one try, seconds."""

    def __post_init__(self) -> None:
        if _parts(self.url) is None:
            raise ValueError(
                f"url is {without_path(self.url)!r}; it must be http or https with a host and no user name"
            )
        for name, value in self.headers.items():
            if not NAME.fullmatch(name) or not VALUE.fullmatch(value):
                raise ValueError(f"headers has {name!r}; a header must have a name of HTTP and a printable value")
        if not 0 < self.timeout_s < float("inf"):
            raise ValueError(f"timeout_s is {self.timeout_s}; it must be a number of seconds above 0")
        _check_ca(self.ca_file)

    @property
    def parts(self) -> SplitResult:
        """The URL."""
        return urlsplit(self.url)

    @property
    def tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.parts.scheme == "https"


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    known = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    return parts if known and not parts.query and not parts.fragment else None


def _check_ca(ca_file: Path | None) -> None:
    try:
        if ca_file is not None:
            ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # SSLError is one
        raise ValueError(f"ca_file is {str(ca_file)!r}; it must hold certificates in PEM: {error}") from None
