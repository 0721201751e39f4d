"""What the commands that run until they are stopped begin with."""

from __future__ import annotations

import logging
import sys


def begin() -> None:
    """Write the log to standard error, and warn there if protobuf is slow."""
    from otel_loopwatch.otlp.runtime import warn_if_slow

    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    warn_if_slow()
