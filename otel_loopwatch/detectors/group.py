"""The calls of all agents that share a trace (or case), as one sequence: what `hand_off` looks at."""

from __future__ import annotations

import msgspec

from otel_loopwatch.cold import Packer
from otel_loopwatch.fingerprint import name_digest
from otel_loopwatch.model import ToolCall
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.periods import LONGEST, Periods
from otel_loopwatch.records import Member

ROUNDS_KEPT = 3
"""Places remembered, in rounds of the longest period."""
_MASK = (1 << 64) - 1


class Place(msgspec.Struct):
    """One call in the sequence of all agents."""

    run: str
    tool: str
    grade: Grade
    span_id: int


class Group(msgspec.Struct):
    """The calls of all runs that share a trace (or case), as one sequence."""

    keys: Periods = msgspec.field(default_factory=Periods)
    places: list[Place] = msgspec.field(default_factory=list)

    def append(self, member: Member, call: ToolCall) -> None:
        """Append the newest call."""
        key = None if member.call is None else hash((member.call, name_digest(call.run))) & _MASK
        self.keys.push(key)
        self.places.append(Place(call.run, member.tool, member.grade, call.span_id))
        if len(self.places) > LONGEST * ROUNDS_KEPT:
            del self.places[0]


GROUPS = Packer(Group, Periods, Place, last_ns=lambda group: 0)
GROUP_BYTES = 8 * 1024
"""A group as objects: 6.3 KB when it remembers all it can."""
