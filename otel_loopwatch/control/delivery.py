"""What becomes of a stop report on its way out of the process."""

from __future__ import annotations

from enum import Enum
from hashlib import sha256

ID_CHARS = 32


class Delivery(str, Enum):
    """How the sending of a stop report ended."""

    DELIVERED = "delivered"
    """The receiver took it."""
    FAILED = "failed"
    """The receiver refused it, or could not be reached in any of the tries."""
    DROPPED = "dropped"
    """It was never tried: too many waited already, or the process came to its end."""


def delivery_id(body: bytes) -> str:
    """32 hex digits, the same for the same report: at a second delivery a receiver knows it has it."""
    return sha256(body).hexdigest()[:ID_CHARS]
