"""Decisions made elsewhere, in memory: found for a run by its key, or by its trace and agent."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.identity import RunIdentity, trace_in
from otel_loopwatch.model import Action
from otel_loopwatch.tracker.naming import plain_agent

MAX_DECISIONS = 10_000
"""Runs of which the decision is remembered, those decided last."""


class Held:
    """The decision that holds, run by run. For any thread; nobody waits in it for anything but the other's look."""

    def __init__(self) -> None:
        self._by_run: OrderedDict[str, RunDecision] = OrderedDict()
        self._of_trace: dict[str, set[str]] = {}
        self.release()

    def release(self) -> None:
        """Behind a fresh lock: at the start, and in a forked child, where the old one may be held for ever."""
        self._lock = Lock()

    def put(self, decision: RunDecision) -> None:
        """A decision holds, unless a later one is known. A nudge or a refusal is no matter of the run as a whole."""
        if decision.action not in (Action.HALT, Action.CONTINUE):
            return
        with self._lock:
            known = self._by_run.get(decision.run)
            if known is not None and known.version >= decision.version:
                return
            if known is not None:
                self._drop(known)
            elif len(self._by_run) >= MAX_DECISIONS:
                self._drop(next(iter(self._by_run.values())))
            self._by_run[decision.run] = decision
            self._of_trace.setdefault(_trace_of(decision), set()).add(decision.run)

    def of(self, run: RunIdentity) -> RunDecision | None:
        """What was decided last of all that is meant for a run."""
        if not self._by_run:
            return None
        with self._lock:
            keys = {*run.keys, *(self._of_trace.get(run.trace_id, ()) if run.trace_id else ())}
            found = [self._by_run[key] for key in keys if key in self._by_run]
        meant = [decision for decision in found if is_meant(run, decision)]
        return max(meant, key=lambda decision: decision.version, default=None)

    def __len__(self) -> int:
        return len(self._by_run)

    def _drop(self, decision: RunDecision) -> None:
        del self._by_run[decision.run]
        trace = _trace_of(decision)
        runs = self._of_trace.get(trace, set())
        runs.discard(decision.run)
        if not runs:
            self._of_trace.pop(trace, None)


def is_meant(run: RunIdentity, decision: RunDecision) -> bool:
    """Whether a decision is about a run.

    The first run of a trace has the trace's id for a key, wherever it is watched; but what is first here may be a
    part of what is watched there, where an agent's name comes with its span, at its end. So the trace's id without a
    name stands for all of the trace, and with a name for that agent's run. A name is all there is to tell sub-agents
    by, unless a span processor of this process has their keys.
    """
    trace, named, name = _trace_of(decision), _agent_of(decision), plain_agent(run.agent) if run.agent else ""
    first, by_key = decision.run == trace, decision.run in run.keys
    if by_key and not first:
        return True
    if not by_key and trace != run.trace_id:
        return False
    if first and not named:
        return True
    if not by_key and _is_keyed(run):
        return False
    return named == name if named and name else first


def _is_keyed(run: RunIdentity) -> bool:
    """Whether it is known here which of the trace's runs it is, and that it is not the first."""
    return any(key.startswith(f"{run.trace_id}/") for key in run.keys)


def _trace_of(decision: RunDecision) -> str:
    return decision.trace_id or trace_in(decision.run)


def _agent_of(decision: RunDecision) -> str:
    """As it is named, or as the run's key has it: ``<trace>/<agent>#<number>``."""
    return decision.agent or decision.run.partition("/")[2].partition("#")[0]
