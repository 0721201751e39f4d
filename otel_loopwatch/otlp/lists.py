"""Lists within messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from google.protobuf.message import Message

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

M = TypeVar("M", bound=Message)


def keep(items: RepeatedCompositeFieldContainer[M], wanted: Callable[[M], object]) -> int:
    """Take all others out of a list; their number. Never item by item: of many, that would move the rest each time."""
    kept = [item for item in items if wanted(item)]
    dropped = len(items) - len(kept)
    if dropped:
        del items[:]
        items.extend(kept)
    return dropped
