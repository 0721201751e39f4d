"""Loops in finished spans: what a test asserts that keeps its spans in memory."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_loopwatch import Budget, Options, Settings, ToolPolicy
from otel_loopwatch.model import Kind
from otel_loopwatch.scenarios import SCENARIOS
from otel_loopwatch.scripted import play
from otel_loopwatch.settings import THRESHOLDS
from otel_loopwatch.testing import LoopFound, ScriptedAgent, Watch, assert_no_loops, find_loops


def spans_of(scenario: str) -> tuple[ReadableSpan, ...]:
    """Finished spans of a scripted agent."""
    provider, exporter = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    play(provider.get_tracer("agents"), SCENARIOS[scenario])
    return exporter.get_finished_spans()


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if scenario.healthy])
def test_healthy_work_passes(name: str) -> None:
    """Polling, paging and editing are no loops."""
    assert_no_loops(spans_of(name))
    assert find_loops(spans_of(name)) == []


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if not scenario.healthy])
def test_every_shape_of_loop_fails_and_is_explained(name: str) -> None:
    """The message has kind, tools, reason and advice."""
    (loop,) = find_loops(spans_of(name))
    with pytest.raises(LoopFound) as failure:
        assert_no_loops(spans_of(name))
    assert loop.signal.kind.value == name
    for told in (name, *loop.signal.tools, loop.signal.reason, loop.signal.advice):
        assert told in str(failure.value)


def test_the_calls_of_the_loop_are_named_by_their_numbers() -> None:
    """The order is read first; the searches after it are the loop, from the first to the one that made it critical."""
    (loop,) = find_loops(spans_of("identical"))
    warning, critical = THRESHOLDS[Kind.IDENTICAL].warning, THRESHOLDS[Kind.IDENTICAL].critical
    assert loop.calls == tuple(range(2, critical + 2))
    assert loop.signalled_at == warning + 1
    assert f"calls 2 to {critical + 1}: search_policy" in str(loop)


def test_numbers_with_others_between_are_listed() -> None:
    """Calls of other tools are not called part of the loop."""
    provider, exporter = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with ScriptedAgent(provider.get_tracer("agents")) as agent:
        for page in range(6):
            agent.call("find_user", {"name": "Ada"}, error="HTTP 404: there is no such user in the directory")
            agent.call("list_users", {"page": page}, f"users {page * 2} and {page * 2 + 1} of the directory of staff")
    loop = find_loops(exporter.get_finished_spans())[0]
    assert set(loop.calls) == {1, 3, 5, 7, 9, 11} - set(range(max(loop.calls) + 1, 12))
    assert "calls 1, 3, 5" in str(loop)


def test_order_of_spans_does_not_matter() -> None:
    """Exporters keep spans in the order in which they ended; a backend gives them in any."""
    spans = spans_of("ping_pong")
    assert [str(loop) for loop in find_loops(spans[::-1])] == [str(loop) for loop in find_loops(spans)]


@pytest.mark.parametrize("name", SCENARIOS)
def test_finished_spans_give_what_the_live_processor_saw(name: str) -> None:
    """One engine, one answer."""
    provider, exporter = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    watch = Watch(provider)
    play(provider.get_tracer("agents"), SCENARIOS[name])
    watch.close()
    finished = find_loops(exporter.get_finished_spans())
    assert [str(loop) for loop in watch.loops] == [str(loop) for loop in finished]


def test_only_loops_of_the_level_asked_for_fail() -> None:
    """A warning passes where only criticals are to fail."""
    assert_no_loops(spans_of("no_progress"), fail_on="critical")
    with pytest.raises(LoopFound):
        assert_no_loops(spans_of("no_progress"), fail_on="warning")
    with pytest.raises(ValueError, match="fatal"):
        assert_no_loops([], fail_on="fatal")


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (Settings(tools=(("search_*", ToolPolicy(ignore=True)),)), []),
        (Settings(budget=Budget(turns=5), tools=(("*", ToolPolicy(ignore=True)),)), ["between calls"]),
    ],
)
def test_settings_are_obeyed(settings: Settings, found: list[str]) -> None:
    """Policies per tool hold in tests as they hold in production; a budget of turns is passed between calls."""
    loops = find_loops(spans_of("identical"), Options(settings=settings))
    assert len(loops) == len(found)
    assert all(words in str(loop) for words, loop in zip(found, loops, strict=True))
