"""Claims and times, as tests of the ledger tell them."""

from __future__ import annotations

from typing import Any

from otel_loopwatch.guard.ledger import Claim

START_NS = 1_700_000_000_000_000_000
LEASE_S = 60.0
DIGEST = "blake2b:" + "0f" * 16
OTHER_DIGEST = "blake2b:" + "f0" * 16


class Clock:
    """Nanoseconds since the epoch, as the test has them."""

    def __init__(self) -> None:
        self.now_ns = START_NS

    def __call__(self) -> int:
        return self.now_ns

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ns += int(seconds * 1e9)


def claim(key: str = "refund-7", **fields: Any) -> Claim:
    """A claim of the process ``one``, in the run ``r``."""
    usual = {"tool": "refund", "run": "r", "owner": "one", "arguments": DIGEST, "lease_s": LEASE_S}
    return Claim(key=key, **{**usual, **fields})
