"""Who may come in: this machine, or whoever has TLS and a token."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path

import grpc

from otel_loopwatch.control.address import is_loopback
from otel_loopwatch.gateway.receive.tokens import RULE, is_token


@dataclass(frozen=True, slots=True)
class Access:
    """Where the gateway listens, and what clients must show.

    Loopback needs nothing; where tokens are set, one of them must be shown by whoever sends or changes something, and
    may be left out by whoever only looks. Any other host needs a certificate, its key and tokens, for everything.

    :raises ValueError: naming the field, its value and the rule it breaks; no token is shown.
    """

    host: str = "127.0.0.1"
    """Name or address of the interface."""
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """Bearer tokens, each as good as the others: to replace one, have both for a while."""
    certificate: str | None = None
    """File of the certificate and its chain, PEM."""
    key: str | None = None
    """File of its private key, PEM, without a password."""

    def __post_init__(self) -> None:
        if not all(map(is_token, self.tokens)):
            raise ValueError(f"tokens is (not shown); it must be {RULE}")
        if (self.certificate is None) != (self.key is None):
            raise ValueError(f"key is {self.key!r}; it must be given where certificate is, and only there")
        if not self.is_loopback and not self.has_tls:
            raise ValueError(
                f"host is {self.host!r}; it must be of this machine, as localhost is, or have a certificate"
            )
        if not self.is_loopback and not self.tokens:
            raise ValueError(f"host is {self.host!r}; it must be of this machine, as localhost is, or have tokens")
        if self.has_tls:
            self.context()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def has_tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.certificate is not None

    def admits(self, authorization: str | None, looking: bool = False) -> bool:
        """Whether a request with this ``Authorization`` may pass; ``looking`` if it changes nothing."""
        if not self.tokens or (looking and self.is_loopback):
            return True
        scheme, _, shown = (authorization or "").partition(" ")
        given = shown.strip().encode("utf-8", "surrogateescape")
        right = [compare_digest(given, token.encode()) for token in self.tokens]  # all of them, however early one is
        return any(right) and scheme.lower() == "bearer"

    def context(self) -> ssl.SSLContext:
        """The TLS of HTTP. Raises ``ValueError`` where certificate and key are none."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(str(self.certificate), self.key, password=lambda: "")
        except (OSError, ValueError):
            raise ValueError(
                f"certificate is {self.certificate!r}; it must be a PEM file that fits the key in {self.key!r}"
            ) from None
        return context

    def credentials(self) -> grpc.ServerCredentials | None:
        """The TLS of gRPC; ``None`` where there is none."""
        if self.certificate is None or self.key is None:
            return None
        return grpc.ssl_server_credentials([(Path(self.key).read_bytes(), Path(self.certificate).read_bytes())])
