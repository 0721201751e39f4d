"""What is decided about the runs of a partition."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator

import msgspec

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import ControlHook, decide
from otel_loopwatch.model import Action, LoopSignal, RunSummary
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.tracker import RunEnded
from otel_loopwatch.tracker.runs import trace_key

MAX_RUNS = 10_000
"""Runs of which it is known what holds for them."""
PER_MESSAGE = 1024
"""Versions that one message may use up."""


class Decisions:
    """Asks a control hook about every signal. What holds for a run stays until the run moves on or ends.

    A halt stands, whatever is found later: only a person lets such a run go on. The version of a decision comes from
    the message it follows from, so it is the same whoever decides, and rises within a run.
    """

    def __init__(self, hook: ControlHook) -> None:
        self._hook = hook
        self._held: OrderedDict[str, RunDecision] = OrderedDict()

    def restore(self, records: Iterable[tuple[bytes | None, bytes | None]]) -> None:
        """What was told of a partition's runs, in its order; records that are no decisions are ignored."""
        for key, value in records:
            if value is None:
                self._held.pop((key or b"").decode("utf-8", "replace"), None)
            else:
                self._restore(value)

    def take(self, offset: int, steps: Iterable[Seen]) -> Iterator[tuple[str, RunDecision | None]]:
        """The runs for which something else holds after the steps of a message, in order; None: they have ended."""
        version = (offset + 1) * PER_MESSAGE
        for seen in steps:
            for decision in self._of(seen):
                version += 1
                self._hold(decision := msgspec.structs.replace(decision, version=version))
                yield decision.run, decision
            if isinstance(seen.event, RunEnded) and self._held.pop(seen.event.run, None) is not None:
                yield seen.event.run, None

    def _of(self, seen: Seen) -> Iterator[RunDecision]:
        """What is decided at a step; versions are still to be given."""
        for signal in seen.signals:
            if seen.run is not None:
                yield from self._about(signal, seen.run)
        held = self._held.get(seen.event.run)
        if held is not None and not held.halts and seen.observation is not None and seen.observation.recovered:
            yield msgspec.structs.replace(held, action=Action.CONTINUE, reason="The run moved on.", advice="")

    def _about(self, signal: LoopSignal, run: RunSummary) -> Iterator[RunDecision]:
        held, made = self._held.get(run.run), decide(self._hook, signal, run)
        halted = held is not None and held.halts
        if not (made.dry_run or made.action is Action.CONTINUE or (halted and made.action is not Action.HALT)):
            yield RunDecision(
                run=run.run,
                action=made.action,
                version=0,
                at_ns=run.last_ns,
                reason=signal.reason,
                advice=signal.advice,
                signal=signal.id,
                trace_id=trace_key(signal.trace_id) if signal.trace_id else "",
                agent=signal.agent,
            )

    def _hold(self, decision: RunDecision) -> None:
        if decision.action is Action.CONTINUE:
            self._held.pop(decision.run, None)
            return
        self._held[decision.run] = decision
        self._held.move_to_end(decision.run)
        if len(self._held) > MAX_RUNS:
            self._held.popitem(last=False)

    def _restore(self, value: bytes) -> None:
        try:
            self._hold(msgspec.json.decode(value, type=RunDecision))
        except msgspec.MsgspecError:
            return
