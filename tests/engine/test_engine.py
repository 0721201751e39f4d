from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from engine.story import START_NS, call, fails, fine, loop, stops, story, times, together, warns, watch
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Evidence, Kind, Level, LoopSignal, ModelTurn, Outcome, RunSummary, ToolCall
from otel_loopwatch.settings import Budget, Settings, ToolPolicy

FIRST, LAST = warns(Kind.IDENTICAL), stops(Kind.IDENTICAL)
TIDE = call("read_tide", {"port": 4}, "High water at the north pier this evening")
S = 1_000_000_000


def at(second: float, run: str = "r", **fields: Any) -> ToolCall:
    """A call of a run that ends at a second."""
    now = START_NS + int(second * S)
    return ToolCall(run=run, tool="t", start_ns=now, end_ns=now, **fields)


class Evictions:
    """Takes note of dropped runs; asks the engine about them, which would hang under its lock."""

    def __init__(self, **limits: Any) -> None:
        self.seen: list[tuple[str, str]] = []
        self.engine = Engine(Settings(**limits), self)

    def __call__(self, reason: str, summary: RunSummary) -> None:
        assert self.engine.summary("nobody") is None
        self.seen.append((reason, summary.run))


# --- runs come and go ---


def test_an_old_run_is_dropped() -> None:
    """A run without a call for longer than the TTL goes when another run has one."""
    evictions = Evictions(run_ttl_s=60)
    for item in (at(0, "a"), at(60, "b"), at(61, "b")):
        evictions.engine.observe(item)
    assert evictions.seen == [("ttl", "a")]
    assert len(evictions.engine) == 1


def test_old_runs_are_dropped_a_few_at_a_time() -> None:
    """One call never has to clear up more than two runs that are too old."""
    evictions = Evictions(run_ttl_s=60)
    for item in (*(at(0, f"old{n}") for n in range(5)), at(100, "new"), at(101, "new")):
        evictions.engine.observe(item)
    assert [run for _, run in evictions.seen] == ["old0", "old1", "old2", "old3"]


def test_a_run_that_comes_back_too_late_starts_anew() -> None:
    """Whether a run is too old does not depend on what other runs do."""
    evictions = Evictions(run_ttl_s=60)
    for item in (at(0), at(61)):
        evictions.engine.observe(item)
    summary = evictions.engine.summary("r")
    assert evictions.seen == [("ttl", "r")]
    assert summary is not None
    assert (summary.calls, summary.first_ns) == (1, START_NS + 61 * S)


def test_the_least_recently_active_run_makes_room() -> None:
    """At the limit the run that was silent longest goes."""
    evictions = Evictions(max_runs=2)
    for second, run in enumerate("abac"):
        evictions.engine.observe(at(second, run))
    assert evictions.seen == [("capacity", "b")]


def test_never_ended_runs_stay_under_the_limit() -> None:
    """Runs that nobody ends do not pile up, and each one dropped is reported in order."""
    evictions = Evictions(max_runs=10)
    for number in range(200):
        evictions.engine.observe(at(number, f"r{number}", group=f"r{number}"))
    assert len(evictions.engine) == 10
    assert evictions.seen == [("capacity", f"r{number}") for number in range(190)]


def test_ignored_calls_and_model_turns_report_dropped_runs_too() -> None:
    """However a run is touched, what it pushes out is told at once."""
    evictions = Evictions(max_runs=1, tools=(("t", ToolPolicy(ignore=True)),))
    evictions.engine.observe(at(0, "a"))
    evictions.engine.observe(at(1, "b"))
    assert evictions.seen == [("capacity", "a")]
    evictions.engine.observe_turn(ModelTurn(run="c", end_ns=START_NS + 2 * S))
    assert evictions.seen[1:] == [("capacity", "b")]


def test_without_a_listener_dropped_runs_are_forgotten() -> None:
    """Nothing is kept for a listener that is not there."""
    engine = Engine(Settings(max_runs=1))
    for number in range(5):
        engine.observe(at(number, f"r{number}"))
    assert engine._evicted == []


def test_an_ended_run_is_summed_up_and_freed() -> None:
    """The end gives the summary once; then the run is unknown."""
    engine = Engine()
    for item in story(times(FIRST, TIDE)):
        engine.observe(item)
    ended = engine.end("story")
    assert ended is not None
    assert (ended.calls, ended.signals, ended.looping, ended.repeat_max, ended.progressed) == (
        FIRST,
        1,
        True,
        FIRST,
        False,
    )
    assert engine.end("story") is None
    assert engine.summary("story") is None
    assert len(engine._groups) == 0


def test_a_summary_tells_times_and_tokens() -> None:
    """Turns, tokens and times of a run add up over calls and model turns."""
    engine = Engine()
    engine.observe_turn(ModelTurn(run="r", end_ns=START_NS, tokens=50))
    engine.observe(at(3, tokens=7, agent="guide"))
    assert engine.summary("r") == RunSummary(
        run="r",
        agent="guide",
        calls=1,
        turns=1,
        tokens=57,
        repeat_max=0,
        progressed=False,
        first_ns=START_NS,
        last_ns=START_NS + 3 * S,
        last_progress_ns=START_NS,
    )


# --- declared by the application ---


@pytest.mark.parametrize(
    ("versions", "signalled"),
    [([None] * FIRST, True), ([5] * FIRST, True), ([5, 4, 3], True), ([1, 2, 3], False), ([5, 5, 6], False)],
)
def test_only_a_version_that_rises_is_progress(versions: list[int | None], signalled: bool) -> None:
    """The first version is where the run starts from; equal or lower ones change nothing."""
    calls = [msgspec.structs.replace(item, progress_version=version)
             for item, version in zip(story(times(FIRST, TIDE)), versions, strict=True)]  # fmt: skip
    assert bool(watch(calls)) is signalled


def test_progress_can_be_declared_between_calls() -> None:
    """The engine's own method does what the attribute on a call does; an unknown run is left alone."""
    engine = Engine()
    calls = story(times(2 * FIRST - 2, TIDE))
    engine.progress("story", 1)
    signals = []
    for number, item in enumerate(calls):
        if number in (0, FIRST - 1):
            engine.progress("story", number)
        if number == 1:
            engine.progress("story", 1)
        signals += engine.observe(item).signals
    assert signals == []


def test_a_declared_outcome_wins() -> None:
    """What the application says about a result counts, whatever the text says."""
    engine = Engine()
    seen = engine.observe(story(call("t", {}, "Error: no such table", outcome=Outcome.SUCCESS))[0])
    assert seen.outcome is Outcome.SUCCESS


# --- the same everywhere ---

SCRIPT = (
    times(2, TIDE),
    [call("search", {"q": q}, "No results found.") for q in ("tide table", "table tide", "tides of table", "table")],
    times(LAST, call("check", {"who": "é", "n": 1.0}, "Request 7f3a9b2c-0000-4000-8000-000000000000 is fine so far")),
    together(1, call("a", {"x": 1}, "one text or the other"), call("b", {"x": 2}, {"rows": [1, 2]})),
    times(6, call("ping", {}, "alpha answers with its name"), fails("pong", {}, "beta cannot be reached: no route")),
    [call("hand", {"n": 1}, f"part {n % 2} of the two", agent=f"g{n % 2}") for n in range(30)],
    times(12, fails("save", {"doc": "a"}, "503 unavailable")),
)


def following(engine: Engine, calls: list[ToolCall]) -> list[list[LoopSignal]]:
    """The signals at each of the calls."""
    return [list(engine.observe(item).signals) for item in calls]


@pytest.mark.parametrize("cut", range(0, 75, 5))
def test_a_restored_engine_goes_on_as_before(cut: int) -> None:
    """Saved and restored at any point, the engine raises the same signals as one that was never interrupted."""
    calls = story(*SCRIPT)
    whole, before, after = Engine(), Engine(), Engine()
    following(whole, calls[:cut])
    following(before, calls[:cut])
    after.restore(before.save())
    assert following(after, calls[cut:]) == following(whole, calls[cut:])


def test_saved_state_holds_no_content() -> None:
    """Neither arguments nor results are in the bytes."""
    engine = Engine()
    following(engine, story(times(3, call("t", {"key": "PLANTED-ARGUMENT"}, "PLANTED-RESULT is here to be seen"))))
    assert b"PLANTED" not in engine.save()


def test_a_restored_engine_loses_one_comparison_at_most() -> None:
    """The first text of a shape is not saved, so that results that differ in a clock are seen one call later."""
    calls = story([call("read", {}, f"Read at 10:00:{n:02d}, the door is shut") for n in range(10)])
    before, after = Engine(), Engine()
    following(before, calls[:2])
    after.restore(before.save())
    late = [number for number, signals in enumerate(following(after, calls[2:]), 3) if signals]
    assert late[0] - watch(calls)[0][0] in range(FIRST)


@pytest.mark.parametrize("state", [b"", b"\x00", b"\x81\xa4runs\x05", msgspec.msgpack.encode({"runs": [1]})])
def test_what_is_no_saved_engine_is_refused(state: bytes) -> None:
    """Anything else raises a decode error and adds nothing."""
    engine = Engine()
    with pytest.raises(msgspec.DecodeError):
        engine.restore(state)
    assert len(engine) == 0


@pytest.mark.parametrize("fields", [{"tool": "\ud800"}, {"progress_version": 2**70}, {"group": "\udfff"}])
def test_one_run_that_cannot_be_written_does_not_spoil_the_rest(fields: dict[str, Any]) -> None:
    """A name that is no Unicode, or a number that is too large, costs its own run only."""
    engine, restored = Engine(), Engine()
    engine.observe(msgspec.structs.replace(at(0, "odd"), **fields))
    engine.observe(at(1, "even", group="even"))
    restored.restore(engine.save())
    assert restored.summary("even") is not None
    assert restored.summary("odd") is None


def test_threads_do_not_disturb_each_other() -> None:
    """Eight threads with a run each get what one thread after the other gets."""
    runs = [story(*SCRIPT, run=f"run{n}") for n in range(8)]
    engine = Engine()
    alone = [following(Engine(), calls) for calls in runs]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda calls: following(engine, calls), runs)) == alone


def test_threads_lose_no_dropped_run() -> None:
    """Every run that makes room is reported exactly once, whichever thread pushed it out."""
    dropped: list[str] = []
    engine = Engine(Settings(max_runs=3), lambda reason, summary: dropped.append(summary.run))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: engine.observe(at(1, f"r{n}")), range(2_000)))
    assert len(engine) == 3
    assert len(dropped) == len(set(dropped)) == 1_997


OTHER_PROCESS = """
import json, sys
from engine.story import story
from engine.test_engine import SCRIPT, following
from otel_loopwatch.engine import Engine
engine = Engine()
print(json.dumps([repr(signals) for signals in following(engine, story(*SCRIPT))]), engine.save().hex())
"""


def test_another_process_says_the_same() -> None:
    """Signals, fingerprints and saved state do not depend on the seed of Python's hashes."""
    root = os.path.dirname(os.path.dirname(__file__))
    said = [
        subprocess.run(
            [sys.executable, "-c", OTHER_PROCESS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    signals = json.loads(said[0].split("] ")[0] + "]")
    assert said[0] == said[1]
    assert signals == [repr(found) for found in following(Engine(), story(*SCRIPT))]


# --- bounded ---


def endless(number: int, kind: str) -> ToolCall:
    """One call of a run that never ends."""
    fields: dict[str, Any] = {
        "new": {
            "arguments": {"page": number, "offset": number * 50, "limit": 10},
            "result": f"page {number}k of a book",
        },
        "same": {"arguments": {"page": 1}, "result": "the one page of the book"},
        "siblings": {"arguments": {"page": number}, "result": f"page {number}k of a book", "batch": 1},
        "unknown siblings": {"batch": 1},
        "failures": {"arguments": {"page": number}, "failed": True, "error": f"page {number}k is torn out"},
        "writes": {"tool": "send_letter", "arguments": {"to": number}, "result": "sent"},
        "words": {"arguments": {"q": f"word{number} word{number + 1} tide"}, "result": "[]"},
        "tools": {"tool": f"tool{number}", "arguments": {}, "result": "the one page of the book"},
    }[kind]
    now = START_NS + number * S
    return msgspec.structs.replace(
        ToolCall(run="r", tool="read", group="r", start_ns=now, end_ns=now, span_id=2**62), **fields
    )


@pytest.mark.parametrize(
    ("kind", "calls"),
    [
        ("new", 10_000),
        ("same", 3_000),
        ("siblings", 6_000),
        ("unknown siblings", 6_000),
        ("failures", 3_000),
        ("writes", 3_000),
        ("words", 3_000),
        ("tools", 3_000),
    ],
)
def test_a_run_does_not_grow_with_its_length(kind: str, calls: int) -> None:
    """A run ten times as long holds what it held before, a few longer numbers apart."""
    engine, sizes = Engine(), []
    for number in range(1, calls + 1):
        engine.observe(endless(number, kind))
        if number in (calls // 10, calls):
            sizes.append(len(engine.save()))
    assert sizes[1] <= sizes[0] * 1.1 + 64


# --- budgets and policies that belong to the engine ---


def test_a_budget_of_turns_speaks_at_the_turn() -> None:
    """A model response that passes a limit is told of once, without a tool."""
    engine = Engine(Settings(budget=Budget(turns=2)))
    turns = [engine.observe_turn(ModelTurn(run="r", end_ns=START_NS + n * S)) for n in range(5)]
    assert [[(s.kind, s.level, s.tools) for s in signals] for signals in turns] == [
        [],
        [],
        [(Kind.BUDGET, Level.CRITICAL, ())],
        [],
        [],
    ]


def test_an_ignored_call_is_counted_and_not_judged() -> None:
    """It has fingerprints and counts towards the run, and leaves no trace in its sequence."""
    engine = Engine(Settings(tools=(("noise", ToolPolicy(ignore=True)),)))
    parts = [part for _ in range(FIRST) for part in (TIDE, call("noise", {"n": 1}, "a text that says something"))]
    signals = following(engine, story(parts))
    summary = engine.summary("story")
    assert summary is not None
    assert summary.calls == 2 * FIRST
    assert [number for number, found in enumerate(signals, 1) if found] == [2 * FIRST - 1]


# --- promises ---

WEAK = st.sampled_from(
    ["ok", "done", "[]", "", "No results found.", "running", "pending", "{}", '{"ok": true}', None, "10:00:00"]
)
TOOLS = st.sampled_from(["read", "click", "search", "job_status", "update_row"])
QUESTIONS = st.sampled_from([None, {}, {"q": "tide table"}, {"q": "table of tides"}, {"id": 1}, {"id": 2}])
PATIENT_S = st.floats(Settings().patient_gap_s, 600.0)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(TOOLS, QUESTIONS, WEAK, PATIENT_S), max_size=6), st.integers(1, 25))
def test_weak_evidence_is_never_critical_for_who_waits(rows: list[tuple[str, Any, Any, float]], rounds: int) -> None:
    """Acks, empties, pending and unknown results may warn, however often they come; they never stop a patient run."""
    parts = times(rounds, *(call(tool, question, result, gap=gap) for tool, question, result, gap in rows))
    assert [seen for seen in watch(story(parts)) if seen[2] is Level.CRITICAL] == []


SECRETS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=12, max_size=20)


@settings(max_examples=50, deadline=None)
@given(SECRETS, st.integers(1, 4), st.booleans(), st.booleans())
def test_no_word_of_a_call_is_repeated(secret: str, period: int, failed: bool, moving: bool) -> None:
    """Reason and advice hold neither arguments nor results nor errors."""

    def said(n: int) -> str:
        return f"{secret} is what was found at place {n % period}"

    make = fails if failed else call
    lines = [
        make("look", {"q": f"{secret} {n if moving else n % period}", secret: n % period}, said(n)) for n in range(40)
    ]
    engine = Engine(Settings(budget=Budget(calls=20)))
    signals = [signal for found in following(engine, story(lines)) for signal in found]
    assert signals
    assert all(secret not in signal.reason + signal.advice for signal in signals)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(TOOLS, QUESTIONS), min_size=1, max_size=5), st.booleans())
def test_unknown_and_cut_content_is_never_equal(rows: list[tuple[str, Any]], cut: bool) -> None:
    """Content that is cut or missing on both sides makes no loop; of names alone, a long row is no evidence."""
    lines = [
        call(tool, question if cut else None, "The text that was cut off here" if cut else None, truncated=cut)
        for tool, question in rows
    ]
    failing = [fails(tool, question, "disk is full", truncated=True) for tool, question in rows]
    signals = [signal for found in following(Engine(), story(times(20, lines))) for signal in found]
    assert all(signal.evidence is Evidence.NONE and not cut for signal in signals)
    assert watch(story(times(20, failing))) == []


def test_rows_of_tables_say_what_they_mean() -> None:
    """The builders of this folder put calls on a clock and keep agents apart."""
    row = loop("x", call("a", agent="one"), call("b", agent="two", gap=7), at=(1, Kind.DRIFT), critical=1)
    assert [(item.run, item.group) for item in row.calls] == [("story/one", "story"), ("story/two", "story")]
    assert row.calls[1].start_ns - row.calls[0].start_ns == 7 * S
    assert (row.first, fine("y").first) == ((1, Kind.DRIFT, Level.CRITICAL), None)
