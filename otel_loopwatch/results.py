"""Which results are the same, volatile parts apart, decided as cheaply as it can be.

A result's digest is its identity until another result with the same gate but other bytes turns up; only then are the
two masked and compared. So no regular expression runs on a result that is new in shape, or equal to the byte.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec
from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.masking import mask, without_ids
from otel_loopwatch.pieces import alike, common_head

REMEMBERED = 16
"""Gates remembered per run."""
KEPT_CHARACTERS = 16_384
"""A first text is kept up to this length; longer ones are equal only to the byte."""
KEPT_IN_ALL = 32_768
"""Characters of all first texts kept per run."""
LATEST = 3
"""Requests of which the latest result is remembered."""
LATEST_CHARACTERS = 4_096
LONGEST_PART = 256
"""Characters of a masked part up to which it is remembered."""
PARTS = 64
"""Parts without their ids that are remembered, of all runs."""
CONTEXT = 64
"""Characters before a difference that are masked with it."""


class Shape(msgspec.Struct, gc=False):
    """The results that share a gate."""

    identity: int
    """Digest of the first of them, which stands for all that are equal to it when masked."""
    text: str
    """The first of them; empty where it was too long to keep, or was not saved."""
    place: tuple[int, int] | None = None
    """Characters before and behind the part that was compared last."""
    part: str = ""
    """That part, masked."""

    def masked(self, start: int, rest: int) -> str:
        """A part of the text, masked; the results of one template differ from it in one place, so one is remembered."""
        if self.place == (start, rest):
            return self.part
        part = mask(self.text[start : len(self.text) - rest])
        if len(part) <= LONGEST_PART:
            self.place, self.part = (start, rest), part
        return part

    def forget_text(self) -> None:
        """Keep the digest only."""
        self.text, self.place, self.part = "", None, ""


class Latest(msgspec.Struct, gc=False):
    """What a request brought last."""

    identity: int
    text: str
    """Empty where it was too long to keep."""


class Results(msgspec.Struct):
    """The gates of a run's recent results."""

    shapes: dict[int, Shape] = msgspec.field(default_factory=dict)
    kept: int = 0

    latest: dict[int, Latest] = msgspec.field(default_factory=dict)
    """By request: what it brought last."""
    numbered: dict[int, int] = msgspec.field(default_factory=dict)
    """By text: the number that stood in front of it first."""
    offset: int | None = None
    """By how much the numbers in front of results run ahead of the calls."""

    def identity(self, reading: Reading, call: int) -> int | None:
        """A digest equal for results that differ in volatile parts only; ``None`` for an unknown result.

        ``call`` is the number of the call within its run: a number in front that keeps step with it counts calls.
        """
        if reading.raw is None:
            return None
        text = self._of_text(reading)
        if reading.number is None:
            return text
        offset, self.offset = self.offset, reading.number - call
        first = self.numbered.setdefault(text, reading.number)
        if len(self.numbered) > REMEMBERED:
            del self.numbered[next(iter(self.numbered))]
        return text if first == reading.number or offset == self.offset else digest(f"{reading.number} {text}".encode())

    def but_for_ids(self, identity: int, request: int, text: str) -> tuple[int, bool]:
        """The identity of what the same request brought last, if no more than ids differ, and whether they do."""
        before = self.latest.pop(request, None)
        newest = self.latest[request] = Latest(identity, text if len(text) <= LATEST_CHARACTERS else "")
        if before is None:
            if len(self.latest) > LATEST:
                del self.latest[next(iter(self.latest))]
            return identity, False
        if before.identity == identity or not (newest.text and before.text):
            return identity, False
        same = alike(before.text, newest.text, _without_ids)
        if same:
            newest.identity = before.identity
        return newest.identity, same

    def _of_text(self, reading: Reading) -> int:
        shape = self.shapes.get(reading.gate)
        if shape is None or not shape.text:
            self._remember(reading)
            return reading.steady
        if shape.identity == reading.steady or not reading.text:
            return reading.steady
        return _difference(shape, reading.text)

    def _remember(self, reading: Reading) -> None:
        text = reading.text if len(reading.text) <= KEPT_CHARACTERS else ""
        self.kept += len(text)
        while self.shapes and (len(self.shapes) >= REMEMBERED or self.kept > KEPT_IN_ALL):
            self.kept -= len(self.shapes.pop(next(iter(self.shapes))).text)
        self.shapes[reading.gate] = Shape(identity=reading.steady, text=text)

    def drop_texts(self) -> None:
        """Keep digests only, as saved state does; the first comparison with each shape is then lost."""
        self.kept = 0
        self.latest.clear()
        self.numbered.clear()
        for shape in self.shapes.values():
            shape.forget_text()


_without_ids = lru_cache(maxsize=PARTS)(without_ids)
"""The part in which a result differed from the one before is that in which the next one differs from it, as a rule."""


def _difference(shape: Shape, text: str) -> int:
    """Mask only where the text differs from the first of its shape: a result of 1 kB costs 15 us instead of 100."""
    head = common_head(shape.text, text)
    tail = _common_tail(shape.text, text, head)
    start, stop = _boundary_before(text, head), _boundary_after(text, len(text) - tail)
    rest = len(text) - stop
    ours = mask(text[start:stop])
    if ours == shape.masked(start, rest):
        return shape.identity
    return digest(f"{shape.identity} {start} {rest} {ours}".encode("utf-8", "surrogatepass"))


def _common_tail(one: str, other: str, head: int) -> int:
    """Length of the common end behind ``head`` characters, by halving."""
    size, length = len(one), len(other)
    low, high = 0, min(size, length) - head
    while low < high:
        middle = (low + high + 1) // 2
        if one[size - middle : size - low] == other[length - middle : length - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _boundary_before(text: str, position: int) -> int:
    """Start of the phrase around ``position``: what is masked may be named by the word or key before it."""
    least = max(0, position - CONTEXT)
    find = text.rfind
    return max(
        least,
        find(",", least, position) + 1,
        find("{", least, position) + 1,
        find("\n", least, position) + 1,
        find(";", least, position) + 1,
    )


def _boundary_after(text: str, position: int) -> int:
    """End of the word after ``position`` and of the next one: a unit or a month stands apart from its number."""
    for _ in range(2):
        end = _WORD_END.search(text, position, position + CONTEXT)
        if end is None:
            return min(len(text), position + CONTEXT)
        position = end.end() if end.group() == " " else end.start()
    return position


_WORD_END = re.compile(r"[ \n,}]")
