"""Runs of real frameworks, played into a real provider in the order in which their spans once started and ended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from live_agent import rig
from real_runs import PATHS, SHARED, play, steps

from otel_loopwatch.dialects import Role, read_call, role
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import LoopSignal, ModelTurn, RunSummary, ToolCall
from otel_loopwatch.sources import SpansFile, read
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import Tracker, replay

pytestmark = pytest.mark.skipif(not PATHS, reason=f"no collection of spans at {SHARED}")


def essence(signal: LoopSignal) -> tuple[object, ...]:
    """What must be the same, whatever the ids."""
    return signal.kind, signal.level, signal.tools, signal.count, signal.period, signal.wasted_calls, signal.call


def from_file(spans: list[SpanData]) -> Counter[tuple[object, ...]]:
    """Signals of the engine over the finished spans."""
    engine, found = Engine(), Counter[tuple[object, ...]]()
    for event in replay(spans, Tracker()):
        if isinstance(event, ToolCall):
            found.update(map(essence, engine.observe(event).signals))
        elif isinstance(event, ModelTurn):
            found.update(map(essence, engine.observe_turn(event)))
        else:
            engine.end(event.run)
    return found


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.removesuffix(".json"))
def test_live_gives_the_signals_of_the_file(path: Path) -> None:
    """Whatever was there at the start and what came late: the same loops are seen."""
    file = read(path)
    assert isinstance(file, SpansFile)
    spans = list(file)
    found: Counter[tuple[object, ...]] = Counter()

    def note(signal: LoopSignal, run: RunSummary) -> None:
        found[essence(signal)] += 1

    bench = rig(control_hook=note)
    play(bench.provider, {span.span_id: span for span in spans}, steps(path))
    assert bench.counts("loopwatch.processor.failures") == {}
    assert len(bench.processor._open) == 0
    assert found == from_file(spans)


def words(value: object) -> Iterator[str]:
    """Texts within a value that are no mere names."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            yield from [value] if len(value) > 5 and re.search(r"[\s\d/]", value) else []
            return
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for each in inner:
        yield from words(each)


@pytest.mark.parametrize("content", ["digest", "drop"])
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.removesuffix(".json"))
def test_what_was_captured_reaches_no_exporter(path: Path, content: str) -> None:
    """No argument and no result, on whatever span and in whatever wrapping."""
    spans = list(read(path))
    assert all(isinstance(span, SpanData) for span in spans)
    calls = [call for span in spans if role(span) is Role.TOOL and (call := read_call(span)) is not None]
    secrets = {word for call in calls for word in (*words(call.arguments), *words(call.result))}
    bench = rig(content=content)
    play(bench.provider, {span.span_id: span for span in spans}, steps(path))
    for exporter in (bench.before, bench.after):
        for span in exporter.get_finished_spans():
            events = [dict(event.attributes or {}) for event in span.events]
            shown = repr((dict(span.attributes or {}), events, span.status.description))
            assert [secret for secret in secrets if secret in shown] == []
