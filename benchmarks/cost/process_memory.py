"""Memory of this process, as Linux tells it."""

from __future__ import annotations

from pathlib import Path

STATUS = Path("/proc/self/status")


def resident_bytes() -> int:
    """Now."""
    return _bytes("VmRSS")


def peak_bytes() -> int:
    """At most, since the program started."""
    return _bytes("VmHWM")


def known() -> bool:
    """Whether this system tells it."""
    return STATUS.exists()


def _bytes(field: str) -> int:
    (line,) = (line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024
