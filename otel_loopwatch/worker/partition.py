"""One partition as it is judged: messages in, judged steps out. Nothing here knows Kafka's clients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream.state import BadState
from otel_loopwatch.worker.coverage import Coverage
from otel_loopwatch.worker.judge import Judge, Judged
from otel_loopwatch.worker.reach import Reach
from otel_loopwatch.worker.snapshots import Snapshot


class Checkpoint(NamedTuple):
    """What must be stored before ``offset`` is committed, which is where the next owner begins."""

    offset: int
    saved: Sequence[Snapshot]


class Partition:
    """The live traces of a partition, and up to where they were read.

    :param start: offset of the first message to come.
    :param reach: how far back the next owner may have to read.
    """

    def __init__(self, judge: Judge, start: int, reach: Reach) -> None:
        self._judge = judge
        self.position = start
        """Offset after the last message that was taken."""
        self.committed = start
        """Offset that was committed last."""
        self._reach = reach
        self._coverage = Coverage()
        self._applied: dict[int, int] = {}
        """Last message that a restored trace has, as long as such messages may come."""
        self._applied_to = -1
        self._saved: set[int] = set()
        """Traces with a snapshot on the topic."""
        self._over: dict[int, int] = {}
        """Those of them that have ended, and where we were then."""

    def resume(self, snapshots: Iterable[Snapshot]) -> int:
        """Go on with saved traces; how many could not be read."""
        broken = 0
        for snapshot in snapshots:
            self._saved.add(snapshot.trace_id)
            try:
                self._judge.restore(snapshot.trace_id, snapshot.state)
            except BadState:
                broken += 1
            else:
                self._applied[snapshot.trace_id] = snapshot.offset
                self._applied_to = max(self._applied_to, snapshot.offset)
        return broken

    def follows(self, trace_id: int) -> bool:
        """Whether an agent's work was seen in a trace: then all its spans matter."""
        return self._judge.follows(trace_id)

    def skip(self, offset: int) -> None:
        """Nothing in this message matters."""
        self.position = offset + 1

    def take(self, offset: int, spans: Sequence[SpanData]) -> Judged:
        """Apply a message; it counts as taken whatever this raises."""
        self.position = offset + 1
        if self._applied:
            spans = self._unapplied(offset, spans)
        judged = self._judge.take(spans)
        for trace_id in {span.trace_id for span in spans}:
            if self._judge.follows(trace_id):
                self._coverage.touch(trace_id, offset)
            else:
                self._coverage.settle((trace_id,))
        return judged

    def checkpoint(self, now_s: float) -> Checkpoint:
        """Save what has to be; everything told so far must have been stored."""
        overdue = self._coverage.before(self._reach.limit(self.position, now_s))
        saved = [snapshot for trace_id in overdue for snapshot in self._snapshot(trace_id)]
        self._coverage.settle(overdue)
        self._note_ends()
        for snapshot in saved:
            self._saved.add(snapshot.trace_id)
            self._over.pop(snapshot.trace_id, None)
        return Checkpoint(self._coverage.low(self.position), saved)

    def done(self, offset: int) -> list[int]:
        """An offset was committed. The traces that had ended by then: nobody needs their snapshots any more."""
        self.committed = offset
        over = [trace_id for trace_id, position in self._over.items() if position <= offset]
        for trace_id in over:
            del self._over[trace_id]
        return over

    def _unapplied(self, offset: int, spans: Sequence[SpanData]) -> Sequence[SpanData]:
        """Without the spans that restored traces have already."""
        if offset > self._applied_to:
            self._applied.clear()
        return [span for span in spans if self._applied.get(span.trace_id, -1) < offset]

    def _snapshot(self, trace_id: int) -> Iterable[Snapshot]:
        state = self._judge.save(trace_id)
        return () if state is None else (Snapshot(trace_id, self.position - 1, state),)

    def _note_ends(self) -> None:
        ended = [trace_id for trace_id in self._saved if not self._judge.follows(trace_id)]
        self._saved.difference_update(ended)
        self._over.update(dict.fromkeys(ended, self.position))
