"""The periodic suffix of a sequence, for every period at once, in O(periods) per element.

A repeat, a ping-pong and a cycle are one thing: a suffix in which every element equals the one ``p`` places before it.
For each ``p`` it is enough to count for how many elements in a row that has been so.
"""

from __future__ import annotations

import msgspec

LONGEST = 12
"""The longest period followed."""


_NONE = [0] * (LONGEST + 1)
"""Shared, so never changed in place."""


class Periods(msgspec.Struct, gc=False):
    """Counts, per period, of elements in a row that equal the one a period before. ``None`` equals nothing."""

    ring: list[int | None] = msgspec.field(default_factory=list)
    """The last `LONGEST` elements, the newest last."""
    matches: list[int] = msgspec.field(default_factory=lambda: _NONE)
    before: list[int] = msgspec.field(default_factory=lambda: _NONE)
    """``matches`` as it was before the newest element, so that this one can be replaced."""

    def push(self, key: int | None) -> None:
        """Append an element."""
        ring, self.before = self.ring, self.matches
        self._match(key)
        ring.append(key)
        if len(ring) > LONGEST + 1:
            del ring[0]

    def replace(self, key: int | None) -> None:
        """Put another element in place of the newest one (a batch that has grown)."""
        self.ring.pop()
        self._match(key)
        self.ring.append(key)

    def _match(self, key: int | None) -> None:
        ring = self.ring
        if key is None or key not in ring:
            self.matches = _NONE
            return
        backwards = zip(self.before[1:], reversed(ring), strict=False)
        matches = [0, *[count + 1 if past == key else 0 for count, past in backwards]]
        self.matches = matches if len(matches) > LONGEST else matches + _NONE[len(matches) :]

    @property
    def quiet(self) -> bool:
        """Nothing recurs at all."""
        return self.matches is _NONE

    def rounds(self, period: int) -> int:
        """Whole rounds of ``period`` at the end, the first one included."""
        return self.matches[period] // period + 1

    def shortest(self, rounds: int, start: int = 1) -> int:
        """The shortest period from ``start`` on with at least that many rounds; 0 if there is none."""
        if self.quiet:
            return 0
        for period in range(start, LONGEST + 1):
            if self.matches[period] // period + 1 >= rounds:
                return period
        return 0

    def clear(self) -> None:
        """Forget everything."""
        self.ring.clear()
        self.matches = _NONE
        self.before = _NONE
