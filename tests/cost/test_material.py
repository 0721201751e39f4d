"""What is measured: new words, spans that are read as tool calls, a file that `replay` reads, work that is counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cost import counted, engine_calls, replaying, trace_file, tracing
from cost.dialects import DIALECTS
from cost.exchanges import CALLS_PER_RUN, WORKLOADS, Exchange, distinct, looping, repeated, volatile
from cost.wording import ARGUMENTS_CHARS, RESULT_CHARS
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor

from otel_loopwatch import LoopwatchSpanProcessor
from otel_loopwatch.engine import Engine

CALLS = 60


def some(workload: Callable[[Random], Any]) -> list[Exchange]:
    """The first calls of a run."""
    return list(islice(workload(Random(1)), CALLS))


def test_distinct_calls_have_nothing_in_common() -> None:
    """Neither text nor shape: keys and their number differ, and the sizes are those that are told of."""
    calls = some(distinct)
    assert len({one.arguments for one in calls}) == len({one.result for one in calls}) == CALLS
    assert len({frozenset(json.loads(one.arguments)) for one in calls}) == CALLS
    assert all(abs(len(one.arguments) - ARGUMENTS_CHARS) < 40 for one in calls)
    assert all(RESULT_CHARS * 0.5 < len(one.result) < RESULT_CHARS * 1.5 for one in calls)


@pytest.mark.parametrize(
    ("workload", "arguments", "results"), [(repeated, 1, CALLS), (looping, 1, 1), (volatile, 1, CALLS)]
)
def test_other_workloads_repeat_what_they_say(workload: Any, arguments: int, results: int) -> None:
    """Volatile results differ before their first line break only."""
    calls = some(workload)
    assert len({one.arguments for one in calls}) == arguments
    assert len({one.result for one in calls}) == results
    if workload is volatile:
        assert len({one.result.partition("\n")[2] for one in calls}) == 1


@pytest.mark.parametrize(("name", "looped"), [("distinct", False), ("looping", True), ("volatile ids", True)])
def test_the_engine_takes_a_loop_for_one(name: str, looped: bool) -> None:
    """What is measured as a loop is signalled, and distinct work is not."""
    engine = Engine()
    calls = engine_calls.calls(WORKLOADS[name], CALLS_PER_RUN, Random(1))
    assert any(engine.observe(call).signals for call in calls) == looped


@pytest.mark.parametrize("content", [True, False])
@pytest.mark.parametrize("name", DIALECTS)
def test_spans_of_every_dialect_are_read_as_calls(name: str, content: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the content, where there is one."""
    seen = []
    observe = Engine.observe
    monkeypatch.setattr(Engine, "observe", lambda self, call: (seen.append(call), observe(self, call))[1])
    by_run = tracing.written(DIALECTS[name], distinct, 3, Random(1), content)
    tracing.agent_runs(tracing.tracer_with(LoopwatchSpanProcessor()), DIALECTS[name], by_run)
    asked = list(islice(distinct(Random(1)), 3))
    assert [call.tool for call in seen] == [one.tool for one in asked]
    expected = [(json.loads(one.arguments), one.result) if content else (None, None) for one in asked]
    assert [(decoded(call.arguments), call.result) for call in seen] == expected


def decoded(arguments: object) -> object:
    """JSON text as what it says."""
    return json.loads(arguments) if isinstance(arguments, str) else arguments


def test_ordinary_spans_are_as_many_as_asked_for() -> None:
    """Each starts and ends."""
    ended: list[str] = []

    class Noting(SpanProcessor):
        def on_end(self, span: ReadableSpan) -> None:
            ended.append(span.name)

    tracing.ordinary_spans(tracing.tracer_with(Noting()), 3)
    assert ended == ["GET /"] * 3


def test_replay_reads_every_call_of_the_file(tmp_path: Path) -> None:
    """It is a little larger than asked for, and ends with a whole trace."""
    path = tmp_path / "traces.jsonl"
    spans = trace_file.write(path, 100_000)
    assert 100_000 <= path.stat().st_size < 200_000
    assert replaying.replay(path) == spans // trace_file.SPANS * trace_file.CALLS > 0
    replaying.parse(path)


def test_counted_work_runs_with_few_calls_and_with_many() -> None:
    """All of it has a name of its own."""
    works = list(counted.works())
    assert len({name for name, _ in works}) == len(works) == len(WORKLOADS) + 2 * len(DIALECTS) + 1
    for _, work in works:
        work(counted.FEW)
