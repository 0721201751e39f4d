"""What stands for a value outside the process: a cryptographic digest, keyed where there is a key."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

DIGEST_BYTES = 16
FINGERPRINT_BYTES = 8
PREFIX = "blake2b:"


class Digests:
    """BLAKE2b (RFC 7693). With a key nobody without it can check a guess; equal values have equal digests."""

    def __init__(self, key: str | None = None) -> None:
        self._key = blake2b(key.encode("utf-8", "surrogatepass")).digest() if key is not None else b""

    def of(self, value: object) -> str:
        """``blake2b:`` and 32 hex digits: of a text as it stands, of anything else as JSON with sorted keys."""
        return PREFIX + blake2b(_bytes(value), key=self._key, digest_size=DIGEST_BYTES).hexdigest()

    def fingerprint(self, number: int) -> str:
        """A 64-bit fingerprint as 16 hex digits: as it is, or under the key."""
        if not self._key:
            return f"{number:016x}"
        data = number.to_bytes(FINGERPRINT_BYTES, "big")
        return blake2b(data, key=self._key, digest_size=FINGERPRINT_BYTES).hexdigest()


def is_digest(text: str) -> bool:
    """Whether a text is a digest that stands for a value: no part of it is there by chance."""
    return len(text) == len(PREFIX) + 2 * DIGEST_BYTES and text.startswith(PREFIX)


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        try:
            return msgspec.json.encode(value, order="deterministic", enc_hook=repr)
        except (TypeError, ValueError, RecursionError):
            value = repr(value)
    return value.encode("utf-8", "surrogatepass")
