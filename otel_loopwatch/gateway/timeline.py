"""The last calls of a run, 48 bytes each: packed, a board holds thousands of runs in some megabytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import Struct

from otel_loopwatch.gateway.shown import Call, span_id
from otel_loopwatch.model import Observation, Outcome, ToolCall
from otel_loopwatch.telemetry.metrics import MAX_NAME_CHARS
from otel_loopwatch.telemetry.names import OTHER

MAX_CALLS = 500
"""Calls remembered per run, the newest."""
MAX_NAMES = 255
"""Names of tools and agents told apart per run; what comes later is shown as one. Models make them up."""

_ROW = Struct("<IBBBBQQQQQ")
"""Number, tool, agent, outcome, flags; fingerprints of arguments and result, start, end, span id."""
_LARGEST = MAX_CALLS * _ROW.size
_64_BITS = (1 << 64) - 1
_32_BITS = (1 << 32) - 1
_OUTCOMES = tuple(Outcome)
_PLACES = {outcome: place for place, outcome in enumerate(_OUTCOMES)}
_KNOWN_ARGUMENTS, _KNOWN_RESULT, _NEW = 1, 2, 4


class Names:
    """Names by number, bounded."""

    __slots__ = ("_numbers", "chars")

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}
        self.chars = 0
        """Kept of all names together."""

    def number(self, name: str) -> int:
        """The number of a name; :data:`MAX_NAMES` for all that came too late."""
        number = self._numbers.get(name)
        if number is None:
            number = self._add(name[:MAX_NAME_CHARS])
        return number

    def _add(self, name: str) -> int:
        number = len(self._numbers)
        if number >= MAX_NAMES:
            return self._numbers.get(name, MAX_NAMES)
        self.chars += len(name)
        return self._numbers.setdefault(name, number)

    def by_number(self) -> list[str]:
        """All names; the last is that of what came too late."""
        names = list(self._numbers)
        return names + [OTHER] * (MAX_NAMES + 1 - len(names))


class Timeline:
    """Calls are packed as they come, and unpacked when somebody looks."""

    __slots__ = ("_names", "_rows")

    def __init__(self) -> None:
        self._rows = bytearray()
        self._names = Names()

    @property
    def bytes(self) -> int:
        """About what it takes."""
        return len(self._rows) + self._names.chars

    def add(self, number: int, call: ToolCall, seen: Observation, new: bool) -> None:
        """One call more; the oldest makes room."""
        arguments, result = seen.arguments_fingerprint, seen.result_fingerprint
        flags = _KNOWN_ARGUMENTS * (arguments is not None) | _KNOWN_RESULT * (result is not None) | _NEW * new
        self._rows += _ROW.pack(
            number & _32_BITS, self._names.number(call.tool), self._names.number(call.agent or ""),
            _PLACES[seen.outcome], flags, arguments or 0, result or 0,
            call.start_ns & _64_BITS, call.end_ns & _64_BITS, call.span_id & _64_BITS,
        )  # fmt: skip
        if len(self._rows) > _LARGEST:
            del self._rows[: _ROW.size]

    def calls(self, shown: Callable[[int], str]) -> Iterator[Call]:
        """What is remembered, the oldest first; ``shown`` writes a fingerprint down."""
        names = self._names.by_number()
        for number, tool, agent, outcome, flags, arguments, result, start, end, span in _ROW.iter_unpack(self._rows):
            yield Call(
                n=number,
                tool=names[tool],
                agent=names[agent],
                fingerprint=shown(arguments) if flags & _KNOWN_ARGUMENTS else None,
                result=shown(result) if flags & _KNOWN_RESULT else None,
                outcome=_OUTCOMES[outcome],
                start_ns=str(start),
                end_ns=str(end),
                span_id=span_id(span),
                new=bool(flags & _NEW),
            )
