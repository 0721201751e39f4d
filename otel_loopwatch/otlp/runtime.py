"""Whether protobuf is as fast as it must be."""

from __future__ import annotations

import logging

from google.protobuf.internal import api_implementation

log = logging.getLogger("otel_loopwatch")

FAST = "upb"
"""The implementation in C; the one in Python is some thirty times slower."""


def warn_if_slow() -> bool:
    """Log a warning where protobuf does not run on its implementation in C; whether it was logged."""
    found = api_implementation.Type()
    if found != FAST:
        log.warning("protobuf runs on %r, not on %r: spans are read some thirty times slower", found, FAST)
    return found != FAST
