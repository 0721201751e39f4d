"""What a run remembers of its calls, in numbers: attempts, and what single rules keep beside them.

An attempt is a call, or all calls of one model response: siblings were decided before any of them had a result, so
together they are one try. Everything is plain data, so that it can be saved and restored, and what there is many of is
kept from the garbage collector, which has nothing to find in it (16 bytes less for each).
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from otel_loopwatch.model import LoopSignal
from otel_loopwatch.numbers import Trend
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.words import Vocabulary, words_of

_MASK = (1 << 64) - 1
DENSE = 0.6
"""Share of a streak among all attempts since it began, from which it is what the run is about."""
SUBJECT = 2
"""Words of an error that all failing requests hold, from which it is about what they have in common."""
SAME_WORDS = 0.4
"""Share of words that come back from which requests are rewordings of one question."""
SURELY_SAME = 0.7
"""The same, for a run to be stopped because of it."""


class Member(msgspec.Struct, gc=False):
    """One distinct call of an attempt."""

    tool: str
    request: int | None
    call: int | None
    answer: int | None
    grade: Grade
    failed: bool
    failure: int | None = None
    """Digest of its failure's text, whatever the tool."""
    deed: str = ""
    """The tool's name and the verb in its arguments."""
    loose: bool = False
    """Its result is that of the call before it but for ids, which may be what it is about."""
    name: int | None = None
    """Digest of the tool's name, where nothing else is known."""
    times: int = 1


class Attempt(msgspec.Struct, gc=False):
    """One try: the distinct calls of one model response. Keys are ``None`` where something is unknown."""

    number: int
    """Position among the run's attempts, from 0."""
    members: list[Member]
    start_ns: int
    span_id: int
    batch: int | None
    exact: int | None = None
    """Digest of the arguments before folding (of the newest call)."""
    request: int | None = None
    """Key of what was asked."""
    call: int | None = None
    """Key of what was asked and what came back."""
    answer: int | None = None
    """Key of which tools answered what, whatever was asked."""
    name: int | None = None
    """Key of the tools' names, where nothing else is known of any of its calls."""
    grade: Grade = Grade.NOTHING
    """The strongest grade among its calls."""
    failed: bool = False
    """Whether every one of its calls failed."""
    new: bool = False
    """It brought a call and an answer not seen before in the window."""
    stale: bool = False
    """The very same attempt was made before, and nothing has changed since."""
    changes: bool = False
    """It changed the state of the world, as far as can be told."""
    size: int = 1
    """Number of calls, equal siblings included."""

    def settle(self) -> None:
        """Work out the keys anew after a member was added."""
        members = self.members
        if len(members) == 1:
            only = members[0]
            self.request, self.call, self.answer = only.request, only.call, only.answer
            self.name, self.grade, self.failed = only.name, only.grade, only.failed
            return
        self.request = _together(member.request for member in members)
        self.call = _together(member.call for member in members)
        self.answer = _together(iter({member.answer for member in members}))
        self.name = _together(iter({member.name for member in members}))
        self.grade = max(member.grade for member in members)
        self.failed = all(member.failed for member in members)

    @property
    def tools(self) -> tuple[str, ...]:
        """Distinct tools, in order."""
        members = self.members
        return (members[0].tool,) if len(members) == 1 else tuple(dict.fromkeys([one.tool for one in members]))

    @property
    def deeds(self) -> tuple[str, ...]:
        """Distinct tools with the verbs in their arguments, in order."""
        members = self.members
        return (members[0].deed,) if len(members) == 1 else tuple(dict.fromkeys([one.deed for one in members]))

    @property
    def loose(self) -> bool:
        """Whether ids of its results had to be left out to find it the same as another."""
        members = self.members
        return members[0].loose if len(members) == 1 else any(member.loose for member in members)


def _together(keys: Iterator[int | None]) -> int | None:
    """One key for several in any order."""
    total = 0
    for key in keys:
        if key is None:
            return None
        total = (total + key) & _MASK
    return total


class Seen(msgspec.Struct, gc=False):
    """How often one and the same attempt was made within an epoch."""

    count: int
    epoch: int
    first_span: int


class Streak(msgspec.Struct):
    """One tool's run of equal answers."""

    answer: int | None
    gate: int
    """Equal for answers that differ in numbers only."""
    epoch: int
    last: int
    """Number of the attempt that was counted last."""
    first_span: int
    count: int = 1
    loose: bool = False
    """Some of the answers differ in numbers."""
    trend: Trend = msgspec.field(default_factory=Trend)
    """Where those numbers go, while the request is the same."""
    varied: bool = False
    """The tool gave other answers before: it does not say the same to everything."""
    began: int = 0
    """Number of its first attempt."""
    requests: list[int] = msgspec.field(default_factory=list)
    """Distinct requests, the first few."""
    words: Vocabulary = msgspec.field(default_factory=Vocabulary)

    @property
    def reworded(self) -> bool:
        """Whether the requests are one question in other words."""
        return self.words.recurrence() >= SAME_WORDS

    @property
    def apart(self) -> bool:
        """Whether a good part of the attempts since its beginning was something else."""
        return self.count < DENSE * (self.last - self.began + 1)

    @property
    def surely_reworded(self) -> bool:
        """Whether that is beyond doubt."""
        return self.words.recurrence() >= SURELY_SAME

    def names(self, text: str) -> bool:
        """Whether a text names the one thing that all requests are about."""
        return self.words.shared(words_of(text)) >= SUBJECT


class Asked(msgspec.Struct, gc=False):
    """The latest request to a tool, in parts."""

    request: int
    """Its identity."""
    keys: int
    """Digest of the names of its arguments."""
    values: list[int]
    """Digests of their values in the order of the names; 0 for a path."""
    paths: list[list[int]]
    """Digests of the names in each path, the last one first."""


class Failing(msgspec.Struct):
    """Attempts in a row in which one tool failed, whatever it was asked and however it failed."""

    tool: int
    last: int
    """Number of the attempt that was counted last."""
    count: int = 0
    errors: list[int] = msgspec.field(default_factory=list)
    """Distinct failures, the first few."""
    again: int = 0
    """Failures that were there before."""
    asked_again: bool = False
    """One and the same request was made twice."""
    requests: list[int] = msgspec.field(default_factory=list)
    """Distinct requests, the first few."""
    words: Vocabulary = msgspec.field(default_factory=Vocabulary)

    @property
    def one_thing(self) -> bool:
        """Whether it is one thing that is tried over and over, not many things of which none works."""
        return self.asked_again or self.words.recurrence() >= SAME_WORDS


class Edit(msgspec.Struct, gc=False):
    """One successful edit."""

    request: int
    parts: list[int]
    """Digests of its arguments, one by one."""


class Edits(msgspec.Struct):
    """One tool's latest edits."""

    past: list[Edit] = msgspec.field(default_factory=list)
    returns: int = 0
    """Edits in a row that were made before and undone since."""
    last: int = 0
    """Number of the attempt that was counted last."""


class Burst(msgspec.Struct):
    """Loops that were signalled while the run has not moved on."""

    signals: list[LoopSignal]
    """What was raised, the newest last; without the trace's id, which has more bits than MessagePack's integers."""
    answers: list[int | None]
    """Answers of the newest loop's last round."""
    wasted: int
    """Calls of the newest loop that were counted as wasted."""
    idle: int = 0
    """Calls in a row, since the last signal, that brought nothing new."""
    fresh: int = 0
    """Attempts in a row that brought something new."""
    last: int = 0
    """Number of the attempt that was counted last."""
    trace: str = ""
    """Hexadecimal id of the trace in which the newest was raised."""
