from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import msgspec
import pytest
from detectors import (
    test_budget,
    test_coverage,
    test_cycle,
    test_drift,
    test_duplicate_write,
    test_hand_off,
    test_identical,
    test_no_progress,
    test_retry_storm,
)
from engine.story import Row, shifted, watch

from otel_loopwatch.canonical import text_of
from otel_loopwatch.model import Kind, Level, ToolCall
from otel_loopwatch.settings import Budget

TABLES = (
    test_budget,
    test_coverage,
    test_cycle,
    test_drift,
    test_duplicate_write,
    test_hand_off,
    test_identical,
    test_no_progress,
    test_retry_storm,
)
ROWS: list[Row] = [row for table in TABLES for row in table.ROWS]

SIGNALLED = 0.9
"""Share of loops that must still be seen somewhere."""
FLAGGED = 0.05
"""Share of good stories that may be flagged."""

change = msgspec.structs.replace

Rewrite = Callable[[Row], Row]


def each(rewrite: Callable[[ToolCall, int], ToolCall]) -> Rewrite:
    """A rewriting of single calls, which are numbered from 0."""
    return lambda row: replace(row, calls=[rewrite(item, number) for number, item in enumerate(row.calls)])


def said(item: ToolCall, rewrite: Callable[[str], str]) -> ToolCall:
    """The call with its result and its error put in other words; what is unknown stays so."""
    result = None if item.result is None else rewrite(text_of(item.result))
    return change(item, result=result, error=None if item.error is None else rewrite(item.error))


def meaningless_names(row: Row) -> Row:
    """Tools are called t0, t1, ...; the user's policies follow, and name each tool."""
    names = {tool: f"t{number}" for number, tool in enumerate(dict.fromkeys(item.tool for item in row.calls))}
    policies = tuple((new, row.settings.policy(old)) for old, new in names.items())
    settings = replace(row.settings, tools=policies)
    return replace(row, calls=[change(item, tool=names[item.tool]) for item in row.calls], settings=settings)


@each
def a_time_in_front(item: ToolCall, number: int) -> ToolCall:
    """Each result begins with the moment it was written at."""
    return said(item, lambda text: f"[2031-05-06 10:{number // 60:02d}:{number % 60:02d}] {text}")


@each
def a_label_in_front(item: ToolCall, _: int) -> ToolCall:
    """Each result begins with a label, as agents of the ReAct kind write it."""
    return said(item, lambda text: f"Observation: {text}")


@each
def errors_as_text(item: ToolCall, _: int) -> ToolCall:
    """Failures are results that begin with a word."""
    if not item.failed or item.error is None:
        return item
    return change(item, failed=False, error=None, result=f"Error: {item.error}")


GERMAN = {
    "ok": "erledigt",
    "done": "fertig",
    "sent": "verschickt",
    "updated": "aktualisiert",
    "[]": "keine",
    "": "leer",
    "No results found.": "Keine Treffer.",
    "running": "läuft",
    "still running": "läuft noch",
    "still in progress": "noch in Arbeit",
    '{"ok":true}': "übernommen",
}
JAPANESE = {
    "ok": "了解",
    "done": "完了",
    "sent": "送信済み",
    "updated": "更新済み",
    "[]": "なし",
    "": "空",
    "No results found.": "該当なし",
    "running": "実行中",
    "still running": "まだ実行中",
    "still in progress": "処理中です",
    '{"ok":true}': "受付済み",
}


def translated(words: Mapping[str, str]) -> Rewrite:
    """Short answers in another language."""
    return each(lambda item, _: said(item, lambda text: words.get(text, text)))


def other_gaps(factor: float) -> Rewrite:
    """The same at another speed; a limit on time moves with it."""
    return lambda row: replace(
        row,
        calls=shifted(row.calls, factor),
        settings=replace(
            row.settings,
            budget=replace(row.settings.budget, seconds=_scaled(row.settings.budget.seconds, factor)),
        ),
    )


def _scaled(seconds: float | None, factor: float) -> float | None:
    return None if seconds is None else seconds * factor


@each
def arguments_as_text(item: ToolCall, number: int) -> ToolCall:
    """Arguments are JSON text, every other time with the keys the other way round and more white space."""
    if not isinstance(item.arguments, dict):
        return item
    pairs = list(item.arguments.items())
    if number % 2:
        return change(item, arguments=json.dumps(dict(reversed(pairs)), indent=1))
    return change(item, arguments=json.dumps(dict(pairs), ensure_ascii=False))


TAIL = "\nThis tool is offered by the harbour office, see the notice at the pier for its terms. " * 12


@each
def a_long_tail(item: ToolCall, _: int) -> ToolCall:
    """Each answer that says something is followed by the same long notice."""
    known = item.result is not None and len(text_of(item.result)) >= 24
    return said(item, lambda text: text + TAIL) if known else item


def an_unrelated_call_after_every_third(row: Row) -> Row:
    """Something always new happens in between, as the same agent's work; budgets would count it, so they stay."""
    if row.settings.budget != Budget():
        return row
    calls: list[ToolCall] = []
    for number, item in enumerate(row.calls, 1):
        calls.append(item)
        if number % 3 == 0:
            calls.append(
                change(
                    item,
                    tool="gaze",
                    arguments={"at": f"star {number}k"},
                    result=f"Star {number}k is {number + 3}k years old and {number * 7}k miles away",
                    failed=False,
                    error=None,
                    outcome=None,
                    tokens=0,
                    state=None,
                    start_ns=item.end_ns,
                    end_ns=item.end_ns,
                )
            )
    return replace(row, calls=calls)


REWRITES: dict[str, Rewrite] = {
    "meaningless names": meaningless_names,
    "a time in front": a_time_in_front,
    "a label in front": a_label_in_front,
    "errors as text": errors_as_text,
    "short answers in German": translated(GERMAN),
    "short answers in Japanese": translated(JAPANESE),
    "ten times as slow": other_gaps(10.0),
    "ten times as fast": other_gaps(0.1),
    "arguments as text": arguments_as_text,
    "a long tail": a_long_tail,
    "an unrelated call after every third": an_unrelated_call_after_every_third,
}


@dataclass(frozen=True, slots=True)
class Score:
    """What became of the stories under one rewriting, by their sentences."""

    loops: int
    good: int
    missed: list[str]
    flagged: list[str]
    stopped: list[str]


def score(rewrite: Rewrite) -> Score:
    """Show every story to the engine, rewritten."""
    missed, flagged, stopped = [], [], []
    for row in ROWS:
        signals = watch((other := rewrite(row)).calls, other.settings)
        if row.first is not None and not signals:
            missed.append(row.sentence)
        if row.first is None and signals:
            flagged.append(row.sentence)
        if row.first is None and any(level is Level.CRITICAL and kind is not Kind.BUDGET for _, kind, level in signals):
            stopped.append(row.sentence)
    loops = sum(row.first is not None for row in ROWS)
    return Score(loops, len(ROWS) - loops, missed, flagged, stopped)


@pytest.mark.parametrize("name", REWRITES)
def test_verdicts_survive_rewriting(name: str) -> None:
    """What does not matter may change: loops are still seen, good work is left alone, and never stopped."""
    found = score(REWRITES[name])
    assert found.stopped == []
    assert len(found.missed) <= (1 - SIGNALLED) * found.loops, found.missed
    assert len(found.flagged) <= FLAGGED * found.good, found.flagged


def test_there_are_enough_stories() -> None:
    """The shares above are worth something."""
    loops = sum(row.first is not None for row in ROWS)
    assert min(loops, len(ROWS) - loops) >= 60
    assert len({row.sentence for row in ROWS}) >= 150


def test_rewriting_changes_what_it_says() -> None:
    """Each rewriting really touches stories."""
    for name, rewrite in REWRITES.items():
        touched = sum(rewrite(row).calls != row.calls for row in ROWS)
        assert touched >= 20, name
    assert any(isinstance(item.arguments, str) for row in ROWS for item in arguments_as_text(row).calls)
