"""The class of a failure by its text: for packages whose owners classify errors themselves."""

from __future__ import annotations

import re

_STATUS = re.compile(r"\b([45]\d\d)\b")
_CLASSES = (
    ("timeout", re.compile(r"time(d )?[ -]?out", re.IGNORECASE)),
    ("connection_error", re.compile(r"connection|network", re.IGNORECASE)),
    ("429", re.compile(r"rate.?limit|too many requests", re.IGNORECASE)),
    ("401", re.compile(r"unauthori[sz]ed|unauthenticated", re.IGNORECASE)),
    ("403", re.compile(r"forbidden|permission denied|access denied", re.IGNORECASE)),
)
_TRANSIENT = frozenset({"timeout", "connection_error", "408", "429", "500", "502", "503", "504"})


def failure_class(error: str) -> str:
    """An HTTP status, ``timeout``, ``connection_error``, or ``error`` where the text says none of these."""
    if status := _STATUS.search(error):
        return status[1]
    return next((name for name, pattern in _CLASSES if pattern.search(error)), "error")


def is_transient(error: str) -> bool:
    """Whether trying again may help."""
    return failure_class(error) in _TRANSIENT
