"""The stream's watch of a partition, and with it what is to be written on the spans that it judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from otel_loopwatch.settings import Options
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.stream.state import BadState
from otel_loopwatch.stream.watch import StreamWatch
from otel_loopwatch.worker.marking import Marking, Marks


class Judged(NamedTuple):
    """What became of a message."""

    steps: Sequence[Seen]
    marks: Marks


class Judge:
    """Judges batches of spans; a trace can be saved and gone on with. ``marking``: None where nothing is written."""

    def __init__(self, options: Options, marking: Marking | None = None) -> None:
        self._watch = StreamWatch(options)
        self._marking = marking
        self.follows = self._watch.follows
        """Whether something that may be an agent's work was seen in a trace, which goes on."""

    def take(self, spans: Sequence[SpanData]) -> Judged:
        """Judge a batch."""
        steps = list(self._watch.take(spans))
        return Judged(steps, self._marking.marks(steps, spans) if self._marking is not None else {})

    def save(self, trace_id: int) -> bytes | None:
        """All that is known of a trace; None where that is nothing."""
        state = self._watch.save(trace_id)
        if state is None:
            return None
        return msgspec.msgpack.encode((state, self._marking.save(trace_id) if self._marking is not None else None))

    def restore(self, trace_id: int, state: bytes) -> None:
        """Go on with a trace that was saved. Raises :class:`otel_loopwatch.stream.state.BadState`."""
        try:
            watched, marked = msgspec.msgpack.decode(state, type=tuple[bytes, bytes | None])
            if self._marking is not None and marked is not None:
                self._marking.restore(trace_id, marked)
        except msgspec.MsgspecError as error:
            raise BadState(f"no saved trace: {error}") from None
        self._watch.restore(watched)
