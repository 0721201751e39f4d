"""The engine: calls in, signals out. Deterministic, bounded, and without OpenTelemetry."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from copy import deepcopy
from itertools import chain
from threading import Lock

import msgspec

from otel_loopwatch import bursts
from otel_loopwatch.aliases import tool_of
from otel_loopwatch.attempts import record
from otel_loopwatch.cold import Shelf
from otel_loopwatch.detectors import NEEDS, RULES, Group, Panel, Rule, Step, budget
from otel_loopwatch.detectors.group import GROUP_BYTES, GROUPS
from otel_loopwatch.fingerprint import Reading, read
from otel_loopwatch.memory import remember
from otel_loopwatch.model import LoopSignal, ModelTurn, Observation, Outcome, RunSummary, ToolCall
from otel_loopwatch.runs import Run, RunTable
from otel_loopwatch.settings import Budget, Settings, ToolPolicy

MAX_NAME = 512
"""Characters by which tools are told apart."""
MAX_TOOL_COUNTS = 256
"""Tools whose calls are counted per run, for the budget of calls per tool."""
GROUPS_SHARE = 8
"""What several runs share takes an eighth of the memory at most."""


class State(msgspec.Struct):
    """A saved engine."""

    runs: list[Run]
    groups: dict[str, Group]


class Engine:
    """Detects loops in any number of runs at once; may be called from any thread.

    ``on_evicted(reason, summary)`` is called, outside the lock, for each run dropped by age (``ttl``) or by number
    (``capacity``). Time is what the calls say; the engine has no clock. ``rules`` are those that judge, in order.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        on_evicted: Callable[[str, RunSummary], None] | None = None,
        rules: Iterable[Rule] = RULES.values(),
    ) -> None:
        self._settings = settings or Settings()
        self._lines = self._settings.calibration.lines() if self._settings.calibration else {}
        self._on_evicted = on_evicted
        self._panel = Panel(rules, NEEDS)
        self._limited = bool(self._lines) or self._settings.budget != Budget()
        self._evicted: list[tuple[str, RunSummary]] = []
        self._lock = Lock()
        self._runs = self._table()
        self._groups: Shelf[Group] = Shelf(GROUPS, GROUP_BYTES, self._settings.max_bytes // GROUPS_SHARE)

    def observe(self, call: ToolCall) -> Observation:
        """Take in one call, in the order calls end, and say what it means."""
        policy = self._settings.policy(call.tool, call.agent)
        reading = read(call, policy, self._settings.max_value_bytes)
        if reading.refused:
            return Observation(reading.exact, None, Outcome.UNKNOWN, refused=True)
        with self._lock:
            run = self._run_of(call)
            self._count(run, call)
            observation = self._judge(run, call, reading, policy)
            evicted = self._take_evicted()
        self._report(evicted)
        return observation

    def rehearse(self, call: ToolCall) -> Observation:
        """What :meth:`observe` would say of a call; nothing is remembered of it.

        Costs a copy of the run, about a millisecond for one with a full window.
        """
        call = msgspec.structs.replace(call, group=None)
        policy = self._settings.policy(call.tool, call.agent)
        reading = read(call, policy, self._settings.max_value_bytes)
        with self._lock:
            known = self._runs.look(call.run)
            run = deepcopy(known) if known is not None else Run(key=call.run)
        self._count(run, call)
        return self._judge(run, call, reading, policy)

    def observe_turn(self, turn: ModelTurn) -> tuple[LoopSignal, ...]:
        """Count a model response; signals are those of passed budgets."""
        with self._lock:
            run = self._runs.touch(turn.run, turn.end_ns)
            run.turns += 1
            run.tokens += turn.tokens
            call = ToolCall(run=turn.run, tool="", end_ns=turn.end_ns)
            signals = self._over_budget(run, call)
            evicted = self._take_evicted()
        self._report(evicted)
        return signals

    def progress(self, run: str, version: int) -> None:
        """Declare progress: a version above all earlier ones resets the run's window."""
        with self._lock:
            live = self._runs.use(run)
            if live is not None:
                _declare(live, version)

    def summary(self, run: str) -> RunSummary | None:
        """How a live run stands."""
        with self._lock:
            live = self._runs.look(run)
            return live.summary() if live else None

    def end(self, run: str) -> RunSummary | None:
        """Free a run and say how it ended; ``None`` if it is not live."""
        with self._lock:
            live = self._runs.pop(run)
            if live is not None and live.group == live.key:
                self._groups.pop(live.key)
            return live.summary() if live else None

    def save(self) -> bytes:
        """All live runs as bytes (MessagePack of plain numbers, tool names and digests; no argument or result).

        Left out is what MessagePack cannot hold: names that are not Unicode, declared numbers of more than 64 bits.
        """
        with self._lock:
            runs = [saved for run in self._runs.without_values() for saved in _saved(run)]
            groups = {key: saved for key, group in self._groups.items() for saved in _saved(group) if any(_saved(key))}
            return msgspec.msgpack.encode({"runs": runs, "groups": groups})

    def save_some(self, keys: Collection[str]) -> bytes:
        """As :meth:`save`, of these runs and groups alone, and with the words of the last results.

        Nothing of the runs changes by it: a restored engine goes on to the very signals this one does.
        """
        with self._lock:
            live = ((key, self._runs.look(key), self._groups.look(key)) for key in keys)
            known = [(key, run, group) for key, run, group in live if any(_saved(key))]
            runs = [saved for _, run, _ in known if run is not None for saved in _saved(run)]
            groups = {key: saved for key, _, group in known if group is not None for saved in _saved(group)}
            return msgspec.msgpack.encode({"runs": runs, "groups": groups})

    def restore(self, state: bytes) -> None:
        """Add the runs of a saved engine. Raises `msgspec.DecodeError` for anything else."""
        saved = msgspec.msgpack.decode(state, type=State)
        with self._lock:
            for run in saved.runs:
                self._runs.add(run)
            for key, group in saved.groups.items():
                self._groups.put(key, group)
            evicted = self._take_evicted()
        self._report(evicted)

    def __len__(self) -> int:
        return len(self._runs)

    def _table(self) -> RunTable:
        settings = self._settings
        max_bytes = settings.max_bytes - settings.max_bytes // GROUPS_SHARE
        return RunTable(settings.max_runs, max_bytes, int(settings.run_ttl_s * 1e9), self._note_evicted)

    def _note_evicted(self, reason: str, run: Run) -> None:
        self._evicted.append((reason, run.summary()))

    def _take_evicted(self) -> list[tuple[str, RunSummary]]:
        evicted = self._evicted
        if evicted:
            self._evicted = []
        return evicted

    def _report(self, evicted: list[tuple[str, RunSummary]]) -> None:
        if self._on_evicted is not None:
            for reason, summary in evicted:
                self._on_evicted(reason, summary)

    def _run_of(self, call: ToolCall) -> Run:
        run = self._runs.touch(call.run, call.end_ns)
        run.group = call.group
        run.agent = call.agent or run.agent
        return run

    def _count(self, run: Run, call: ToolCall) -> None:
        run.calls += 1
        run.tokens += call.tokens
        tool = call.tool[:MAX_NAME]
        if tool in run.tool_calls or len(run.tool_calls) < MAX_TOOL_COUNTS:
            run.tool_calls[tool] = run.tool_calls.get(tool, 0) + 1

    def _judge(self, run: Run, call: ToolCall, reading: Reading, policy: ToolPolicy) -> Observation:
        if policy.ignore:
            return Observation(reading.exact, reading.raw, reading.outcome, effort=run.effort)
        tool = tool_of(run.names, call.tool[:MAX_NAME])
        if tool != reading.tool:
            reading = msgspec.structs.replace(reading, tool=tool)
        recovered = _moved_on(run, call)
        record(run, call, reading, policy, self._settings.window)
        group = self._group_of(run, call)
        step = Step(run, run.current, call, reading, policy, self._settings, group)
        return self._conclude(step, recovered)

    def _conclude(self, step: Step, recovered: LoopSignal | None) -> Observation:
        run, attempt, reading = step.run, step.attempt, step.reading
        remember(step)
        verdict = self._panel.verdict(step)
        raised = bursts.raise_signal(run, verdict, step.call) if verdict else None
        signal, wasted = raised or (None, 0)
        moved_on = None
        if raised is None:
            wasted, moved_on = bursts.continue_burst(run, seen=verdict is not None)
        run.wasted += wasted
        if attempt.new:
            run.last_progress_ns = step.call.end_ns
        over = self._over_budget(run, step.call)
        return Observation(
            arguments_fingerprint=reading.exact,
            result_fingerprint=reading.raw,
            outcome=reading.outcome,
            signals=(signal, *over) if signal is not None else over,
            recovered=tuple(filter(None, (recovered, moved_on))),
            wasted=wasted,
            effort=run.effort,
            changed=attempt.changes,
        )

    def _group_of(self, run: Run, call: ToolCall) -> Group | None:
        """The calls of all agents of the trace, this one included."""
        if call.group is None:
            return None
        group = self._groups.use(call.group)
        if group is None:
            group = Group()
            self._groups.put(call.group, group)
        while len(self._groups) > self._settings.max_runs or self._groups.overfull:
            self._groups.pop(self._groups.oldest()[0])
        group.append(run.current.members[-1], call)
        return group

    def _over_budget(self, run: Run, call: ToolCall) -> tuple[LoopSignal, ...]:
        if not self._limited:
            return ()
        signals: list[LoopSignal] = []
        passed = budget.passed(run, self._settings.budget, call.tool[:MAX_NAME] or None, call.span_id)
        for name, verdict in chain(passed, budget.crossed(run, self._lines)):
            if name not in run.spent:
                run.spent.append(name)
                run.signals += 1
                signals.append(bursts.signal_of(verdict, run, call))
        return tuple(signals)


def _saved(item: object) -> Iterator[msgspec.Raw]:
    """The item as bytes, if it can be written."""
    try:
        yield msgspec.Raw(msgspec.msgpack.encode(item))
    except (UnicodeError, OverflowError):
        return


def _moved_on(run: Run, call: ToolCall) -> LoopSignal | None:
    """What the application or the user did to start afresh, before the call itself is looked at."""
    recovered = None
    if call.user_turn is not None and run.user_turn is not None and call.user_turn != run.user_turn:
        recovered = bursts.close(run)
        run.forget()
    run.user_turn = call.user_turn
    if call.progress_version is not None:
        recovered = _declare(run, call.progress_version) or recovered
    return recovered


def _declare(run: Run, version: int) -> LoopSignal | None:
    """A first version is where the run starts from; only a higher one is progress."""
    risen = run.version is not None and version > run.version
    if run.version is None or risen:
        run.version = version
    if not risen:
        return None
    recovered = bursts.close(run)
    run.forget()
    return recovered
