"""Which results are the same, volatile parts apart, decided as cheaply as it can be.

A result's digest is its identity until another result with the same gate but other bytes turns up; only then are the
two masked and compared. So no regular expression runs on a result that is new in shape, or equal to the byte.
"""

from __future__ import annotations

import msgspec
from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.masking import mask

REMEMBERED = 16
"""Gates remembered per run."""
KEPT_CHARACTERS = 2_048
"""A first text is kept up to this length; of a longer one only the masked digest."""


class Shape(msgspec.Struct):
    """The results that share a gate."""

    identity: int
    """Digest of the first of them, which stands for all that are equal to it when masked."""
    first: int
    text: str
    masked: int = 0
    """Digest of the first one masked; 0 until it was needed."""


class Results(msgspec.Struct):
    """The gates of a run's recent results."""

    shapes: dict[int, Shape] = msgspec.field(default_factory=dict)

    def identity(self, reading: Reading) -> int | None:
        """A digest equal for results that differ in volatile parts only; ``None`` for an unknown result."""
        if reading.raw is None:
            return None
        shape = self.shapes.get(reading.gate)
        if shape is None:
            self._remember(reading)
            return reading.steady
        if shape.first == reading.steady or not reading.text:
            return shape.identity if shape.first == reading.steady else reading.steady
        return self._masked(shape, reading.text)

    def _masked(self, shape: Shape, text: str) -> int:
        if not shape.masked:
            shape.masked = _digest(mask(shape.text))
            shape.text = ""
        masked = _digest(mask(text))
        return shape.identity if masked == shape.masked else masked

    def _remember(self, reading: Reading) -> None:
        if len(self.shapes) >= REMEMBERED:
            del self.shapes[next(iter(self.shapes))]
        long = len(reading.text) > KEPT_CHARACTERS
        self.shapes[reading.gate] = Shape(
            identity=reading.steady,
            first=reading.steady,
            text="" if long else reading.text,
            masked=_digest(mask(reading.text)) if long else 0,
        )


def _digest(text: str) -> int:
    return digest(text.encode("utf-8", "surrogatepass"))
