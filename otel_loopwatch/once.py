"""Things made once for an object of somebody else's, and gone with it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Owner = TypeVar("Owner")
Made = TypeVar("Made")


class OncePer(Generic[Owner, Made]):
    """Tells owners apart by identity: providers that are wrappers may compare by value and have no hash (Logfire's)."""

    def __init__(self, make: Callable[[Owner], Made]) -> None:
        self._make = make
        self._made: dict[int, Made] = {}
        self._lock = Lock()

    def __call__(self, owner: Owner) -> Made:
        """What was made for this owner; made now where it is the first time."""
        with self._lock:
            key = id(owner)
            if key not in self._made:
                self._made[key] = self._make(owner)
                weakref.finalize(owner, self._made.pop, key, None).atexit = False
            return self._made[key]
