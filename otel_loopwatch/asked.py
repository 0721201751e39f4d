"""Which requests are the same although their digests differ: a misnamed parameter, a path with or without its prefix.

Models that are told "unknown parameter" try other names, and the same file is ``src/a.py``, ``./src/a.py`` and
``/repo/src/a.py``. A request is compared with the one before it to the same tool and takes over its identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.canonical import encode
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.records import Asked
from otel_loopwatch.runs import Run

MAX_TOOLS = 16
"""Tools whose latest request is remembered per run."""
MAX_ARGUMENTS = 8
"""Requests with more arguments are compared by their digest only."""
LONGEST_PATH = 256
SHORTEST_PATH = 4


def identity(run: Run, reading: Reading) -> int | None:
    """Digest of what was asked; ``None`` where it is unknown."""
    arguments = reading.arguments
    if type(arguments) is not dict and not isinstance(arguments, Mapping):  # asked of a `dict`, that costs 0.5 us
        return reading.folded
    if reading.folded is None or not 0 < len(arguments) <= MAX_ARGUMENTS:
        return reading.folded
    before = run.asked.pop(reading.tool, None)
    if before is not None and before.request == reading.folded:
        asked = before
    else:
        asked = _outline(reading.folded, arguments)
        if before is not None and _same(before, asked):
            asked = before
    run.asked[reading.tool] = asked
    if len(run.asked) > MAX_TOOLS:
        del run.asked[next(iter(run.asked))]
    return asked.request


def _outline(request: int, arguments: Mapping[str, object]) -> Asked:
    names = sorted(arguments)
    values = [arguments[name] for name in names]
    return Asked(
        request=request,
        keys=digest(encode(names)),
        values=[_A_PATH if _is_path(value) else digest(encode(value)) for value in values],
        paths=[_steps(value) for value in values if _is_path(value)],
    )


_A_PATH = 0
"""Stands among the values for a path."""


def _is_path(value: object) -> TypeGuard[str]:
    if not isinstance(value, str):
        return False
    return "/" in value and SHORTEST_PATH <= len(value) <= LONGEST_PATH and "://" not in value and " " not in value


def _same(before: Asked, asked: Asked) -> bool:
    """Equal values, under other names or with other beginnings of paths; equal values that changed places are not."""
    if before.keys == asked.keys:
        return before.values == asked.values and all(map(_one_path, before.paths, asked.paths))
    return sorted(before.values) == sorted(asked.values) and before.paths == asked.paths


def _steps(path: str) -> list[int]:
    """Digests of the names in a path, the last one first."""
    names = path.removeprefix("./").strip("/").split("/")
    return [digest(name.encode("utf-8", "surrogatepass")) for name in reversed(names)]


def _one_path(one: list[int], other: list[int]) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))
