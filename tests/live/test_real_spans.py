"""Runs of real frameworks, played into a real provider in the order in which their spans once started and ended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from live_agent import Rig, rig
from opentelemetry.context import Context
from opentelemetry.trace import Span, StatusCode, set_span_in_context

from otel_loopwatch.dialects import Role, read_call, role
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import LoopSignal, ModelTurn, RunSummary, ToolCall
from otel_loopwatch.sources import SpansFile, read
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import Tracker, replay

SHARED = Path(__file__).parents[3] / "shared"
LOGS = sorted((SHARED / "spans").glob("*.live.json"))
PATHS = [path for log in LOGS if (path := log.with_name(log.name.replace(".live.json", ".json"))).exists()]
pytestmark = pytest.mark.skipif(not PATHS, reason=f"no collection of spans at {SHARED}")


class Step(NamedTuple):
    """A line of a live log: a span starts with these attributes, or ends."""

    starts: bool
    span: int
    attributes: Mapping[str, Any]


def steps(path: Path) -> Iterator[Step]:
    """The live log that belongs to a file of spans, in either of its two forms."""
    log = msgspec.json.decode(path.with_suffix(".live.json").read_bytes())
    for line in log.get("probe", ()):
        yield Step(line["ev"] == "start", int(line["span"], 16), line.get("attributes") or {})
    for what, _, span, _, attributes in log.get("events", ()):
        yield Step(what == "start", int(span, 16), attributes if what == "start" else {})


def play(bench: Rig, spans: Mapping[int, SpanData], log: Iterator[Step]) -> None:
    """Start and end the spans as the log says, with the content of the file."""
    live: dict[int, Span] = {}
    for step in log:
        span = spans.get(step.span)
        if span is not None and step.starts:
            parent = live.get(span.parent_id)
            live[step.span] = bench.provider.get_tracer(span.scope).start_span(
                span.name,
                set_span_in_context(parent, Context()) if parent is not None else Context(),
                attributes=step.attributes,
                start_time=span.start_ns,
            )
        elif span is not None and step.span in live:
            finish(live[step.span], span)
    bench.provider.shutdown()


def finish(live: Span, span: SpanData) -> None:
    """Everything the file knows of a span, then its end."""
    live.set_attributes(dict(span.attributes))
    for event in span.events:
        live.add_event(event.name, dict(event.attributes))
    if span.failed:
        live.set_status(StatusCode.ERROR, span.status_message)
    live.end(span.end_ns)


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
    play(bench, {span.span_id: span for span in spans}, steps(path))
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
    play(bench, {span.span_id: span for span in spans}, steps(path))
    for exporter in (bench.before, bench.after):
        for span in exporter.get_finished_spans():
            events = [dict(event.attributes or {}) for event in span.events]
            shown = repr((dict(span.attributes or {}), events, span.status.description))
            assert [secret for secret in secrets if secret in shown] == []
