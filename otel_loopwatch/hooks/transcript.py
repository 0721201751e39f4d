"""When a session began: the tools keep what was said in a file of JSON lines, each with its time."""

from __future__ import annotations

import json
import os
import stat

MAX_BYTES = 1 << 16
"""Looked at: the first line with a time is one of the first."""


def began_ns(path: str) -> int | None:
    """Time of the first entry that has one, in ns since the epoch; ``None`` where that cannot be read."""
    try:
        for line in _lines(path):
            entry = json.loads(line)
            if isinstance(entry, dict) and isinstance(entry.get("timestamp"), str):
                return _nanoseconds(entry["timestamp"])
    except (OSError, ValueError, RecursionError, OverflowError):
        return None
    return None


def _lines(path: str) -> list[bytes]:
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe may never end
        return []
    with open(path, "rb") as transcript:
        return transcript.read(MAX_BYTES).splitlines()


def _nanoseconds(written: str) -> int:
    from datetime import datetime, timedelta, timezone

    moment = datetime.fromisoformat(written.replace("Z", "+00:00"))
    since = moment.astimezone(timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return since // timedelta(microseconds=1) * 1000
