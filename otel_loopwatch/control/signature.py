"""The signature of a webhook: who sent the body, and when.

The header is ``Loopwatch-Signature: t=<unix seconds>,v1=<hex>``. ``hex`` is the HMAC-SHA256 (RFC 2104, FIPS 180-4) of
the digits of ``t``, a full stop and the body as sent, under the UTF-8 bytes of the secret, in lower case. Each try is
signed anew, so ``t`` is the time of the try.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator

HEADER = "Loopwatch-Signature"
TOLERANCE_S = 300
"""Age up to which a signature is good, and how far the two clocks may differ."""


def sign(secret: str, body: bytes, now: int) -> str:
    """The header's value for a body sent at ``now``, seconds since the epoch."""
    return f"t={now},v1={_digest(secret, str(now), body)}"


def verify(secret: str, header: str, body: bytes, now: float, tolerance_s: float = TOLERANCE_S) -> bool:
    """Whether the body was signed with the secret, no more than ``tolerance_s`` seconds from ``now``; for receivers.

    ``body`` is what came over the wire, before it is parsed. One good ``v1`` among several is enough. Compares in
    constant time, and raises nothing whatever the header holds.
    """
    times = list(_values(header, "t"))
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()):
        return False
    if not abs(now - float(times[0])) <= tolerance_s:
        return False
    good = _digest(secret, times[0], body).encode()
    return any(hmac.compare_digest(good, one.encode("utf-8", "replace")) for one in _values(header, "v1"))


def _values(header: str, name: str) -> Iterator[str]:
    parts = (part.strip().partition("=") for part in header.split(","))
    return (value for key, _, value in parts if key == name)


def _digest(secret: str, time: str, body: bytes) -> str:
    key = secret.encode("utf-8", "surrogatepass")
    return hmac.new(key, time.encode() + b"." + body, "sha256").hexdigest()
