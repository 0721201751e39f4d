"""Which tools of a run are one tool under several names, as far as names tell.

``mcp__crm__find_contact``, ``crm.find_contact``, ``crm_find_contact`` and ``find_contact`` are one. The same name on
two servers is two tools: to ask each of them is no repetition.
"""

from __future__ import annotations

import msgspec
from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.verbs import plain_name, space_of

MAX_NAMES = 64
"""Names remembered per run; of more, each is a tool of its own."""


class Name(msgspec.Struct):
    """A tool's name in parts."""

    space: str
    """Server or module; empty where the name tells none."""
    plain: str
    tool: int
    """Digest that stands for the tool."""


def tool_of(names: dict[str, Name], tool: str) -> int:
    """Digest of the tool of that name; ``names`` holds what the run has called so far."""
    known = names.get(tool)
    if known is not None:
        return known.tool
    name = Name(space_of(tool), plain_name(tool), digest(tool.encode("utf-8", "surrogatepass")))
    name.tool = next((other.tool for other in names.values() if _one(name, other)), name.tool)
    if len(names) < MAX_NAMES:
        names[tool] = name
    return name.tool


def _one(name: Name, other: Name) -> bool:
    if name.space and other.space and name.space != other.space:
        return False
    return name.plain == other.plain or _prefixed(name, other) or _prefixed(other, name)


def _prefixed(long: Name, short: Name) -> bool:
    """Whether one is the other with the server's name in front, joined by ``_``."""
    if not long.plain.endswith(f"_{short.plain}"):
        return False
    front = long.plain[: -len(short.plain) - 1]
    return front == short.space or ("_" in short.plain and "_" not in front and not short.space)
