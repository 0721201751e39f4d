"""Runs in finished spans that come in batches: the signals of the live processor, and state that goes on elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tracker.test_shared_spans import FILES, spans_in

from otel_loopwatch.config import load
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import LoopSignal, ModelTurn, RunSummary, ToolCall
from otel_loopwatch.settings import Options
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream import Seen, StreamWatch
from otel_loopwatch.tracker import RunEnded, Tracker, replay

SECOND = 1_000_000_000
OPTIONS = load()


def tool_span(
    number: int, name: str = "search", parent: int = 1, result: str = "Kettles are sold in three colours."
) -> SpanData:
    """The same question once more."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": '{"q": "kettles"}',
        "gen_ai.tool.call.result": result,
    }
    start = number * SECOND
    return SpanData(
        5, 100 + number, parent, f"execute_tool {name}", "x", attributes, (), False, "", start, start + 1000
    )


def agent_span(calls: int) -> SpanData:
    """The agent around them, told last."""
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
    return SpanData(5, 1, 0, "invoke_agent helper", "x", attributes, (), False, "", 0, (calls + 1) * SECOND)


def chat(span_id: int, parent: int) -> SpanData:
    """A model's response."""
    return SpanData(5, span_id, parent, "chat", "x", {"gen_ai.operation.name": "chat"}, (), False, "", span_id, span_id)


def essence(signal: LoopSignal) -> tuple[object, ...]:
    """What must be the same, whatever the run is called before its agent is told."""
    return signal.kind, signal.level, signal.tools, signal.count, signal.wasted_calls, signal.call, signal.span_id


def signals(seen: list[Seen]) -> list[LoopSignal]:
    """All signals."""
    return [signal for each in seen for signal in each.signals]


def of_file(spans: list[SpanData]) -> Iterator[LoopSignal]:
    """Signals of the engine over all spans at once."""
    engine = Engine()
    for event in replay(spans, Tracker()):
        if isinstance(event, ToolCall):
            yield from engine.observe(event).signals
        elif isinstance(event, ModelTurn):
            yield from engine.observe_turn(event)
        else:
            engine.end(event.run)


def test_a_loop_is_seen_before_the_agent_is_told() -> None:
    """Call by call, and the run ends when its agent's span comes."""
    watch = StreamWatch(OPTIONS)
    seen = [each for number in range(6) for each in watch.take([tool_span(number)])]
    assert [signal.span_id for signal in signals(seen)] == [102, 104]
    assert [each.run.calls for each in seen if each.run is not None] == [1, 2, 3, 4, 5, 6]
    assert len(watch) == 1
    [end] = watch.take([agent_span(6)])
    assert isinstance(end.event, RunEnded)
    assert end.event.scope_span_id == 1
    assert end.run is not None
    assert end.run.looping
    assert len(watch) == 0


BY_FILE = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
TOLD_BY_TWO = ("autogen__openinference_team",)
"""Two exporters, the outer spans of the calls among the last: alone, the inner ones hold nothing to compare."""


@pytest.mark.skipif(not FILES, reason="no collection of spans beside the repository")
@BY_FILE
def test_real_runs_give_the_signals_of_the_whole_file(path: Path) -> None:
    """Spans of real frameworks in the order in which they ended, as held back for a quarter of a second."""
    if path.name.startswith(TOLD_BY_TWO):
        pytest.skip("the calls' outer spans come long after")
    spans = sorted(spans_in(path), key=lambda span: span.end_ns)
    watch = StreamWatch(OPTIONS)
    seen = [each for batch in moments(spans) for each in watch.take(batch)]
    seen += watch.flush()
    assert sorted(map(essence, signals(seen))) == sorted(map(essence, of_file(spans)))


def moments(spans: list[SpanData], length_ns: int = SECOND // 4) -> Iterator[list[SpanData]]:
    """The spans in batches of those that ended within such a time."""
    batch: list[SpanData] = []
    for span in spans:
        if batch and span.end_ns - batch[0].end_ns > length_ns:
            yield batch
            batch = []
        batch.append(span)
    yield batch


KEYED = ("anthropic__", "openai-chat__", "openai-responses__")
"""Clients whose every request is a trace: their runs are no part of any."""


@pytest.mark.skipif(not FILES, reason="no collection of spans beside the repository")
@BY_FILE
def test_a_trace_goes_on_in_another_process(path: Path) -> None:
    """Saved and restored after every three spans, it leads to the same steps."""
    if path.name.startswith(KEYED) or "+" in path.name:
        pytest.skip("what is known of it lies outside of its trace")
    spans = sorted(spans_in(path), key=lambda span: span.end_ns)
    batches = [spans[at : at + 3] for at in range(0, len(spans), 3)]
    watch, moving = StreamWatch(OPTIONS), StreamWatch(OPTIONS)
    states: dict[int, bytes | None] = {}
    for batch in batches:
        assert list(moving.take(batch)) == list(watch.take(batch))
        states.update({span.trace_id: moving.save(span.trace_id) for span in batch})
        moving = restored(*states.values())


def restored(*states: bytes | None, options: Options = OPTIONS) -> StreamWatch:
    """A new watch that goes on with what was saved."""
    watch = StreamWatch(options)
    for state in states:
        if state is not None:
            watch.restore(state)
    return watch


def test_a_loop_is_continued_and_not_told_again() -> None:
    """The warning was given before the move, the critical signal comes after it, at the same call."""
    watch = StreamWatch(OPTIONS)
    before = [each for number in range(3) for each in watch.take([tool_span(number)])]
    after = restored(watch.save(5))
    seen = [each for number in range(3, 6) for each in after.take([tool_span(number)])]
    assert [signal.level.value for signal in signals(before)] == ["warning"]
    assert [signal.level.value for signal in signals(seen)] == ["critical"]


def test_saving_changes_nothing() -> None:
    """A watch that was saved goes on as if it had not been."""
    saved, plain = StreamWatch(OPTIONS), StreamWatch(OPTIONS)
    for number in range(8):
        batch = [tool_span(number, result=f"at {number}: nothing, request {number * 7919}")]
        assert list(saved.take(batch)) == list(plain.take(batch))
        assert saved.save(5) is not None


def test_nothing_is_saved_of_what_has_ended() -> None:
    """Or was never seen."""
    watch = StreamWatch(OPTIONS)
    list(watch.take([tool_span(0), agent_span(1)]))
    assert watch.save(5) is None
    assert watch.save(6) is None


def test_what_nothing_is_heard_of_is_dropped() -> None:
    """Its run is told as ended for want of spans, or of room."""
    watch = StreamWatch(load(max_runs=1))
    seen = [*watch.take([tool_span(0)]), *watch.take([tool_span(1)._replace(trace_id=6)])]
    assert [each.event for each in seen if each.call is None] == [RunEnded(f"{5:032x}", "capacity")]
    assert [each.event for each in watch.expire(10**6 * SECOND)] == [RunEnded(f"{6:032x}", "ttl")]
    assert watch.skipped["evicted"] == 1


def test_what_the_engine_drops_by_itself_is_told_to_whoever_asked() -> None:
    """Two agents of one trace, and room for one run."""
    dropped: list[tuple[str, RunSummary]] = []
    watch = StreamWatch(load(max_runs=1), on_evicted=lambda reason, run: dropped.append((reason, run)))
    for agent in (1, 2):
        answers = [chat(10 * agent + number, parent=agent) for number in range(2)]
        list(watch.take([*answers, tool_span(agent, parent=agent)]))
    assert [(reason, run.run, run.calls) for reason, run in dropped] == [("capacity", f"{5:032x}", 1)]


def test_model_spans_are_counted() -> None:
    """For whoever asks whether models are seen at all."""
    watch = StreamWatch(OPTIONS)
    [turn] = watch.take([chat(9, parent=1)])
    assert isinstance(turn.event, ModelTurn)
    assert turn.call is None
    assert watch.model_calls == 1


def test_the_id_of_a_signal_is_that_of_its_call_and_level() -> None:
    """The same everywhere, and another for each signal of a run."""
    watches = StreamWatch(OPTIONS), StreamWatch(OPTIONS)
    told = [
        [signal.id for number in range(9) for each in watch.take([tool_span(number)]) for signal in each.signals]
        for watch in watches
    ]
    assert told[0] == told[1]
    assert len(set(told[0])) == len(told[0]) == 2
    assert all(len(bytes.fromhex(each)) == 16 for each in told[0])


def test_everything_goes_on_in_another_process() -> None:
    """Traces, and runs that outlive theirs: the warning was given before, and the user's turn is the same."""
    options = load(run_key="session", env={})
    before, plain = StreamWatch(options), StreamWatch(options)
    spans = [span._replace(attributes={**span.attributes, "session": "s"}) for span in map(tool_span, range(6))]
    told = [list(before.take([span])) for span in spans[:3]]
    assert [signal.level.value for seen in told for signal in signals(seen)] == ["warning"]
    states = list(before.save_all())
    assert len(states) == 2
    after = restored(*states, options=options)
    assert len(after) == 1
    for span in spans[:3]:
        list(plain.take([span]))
    for span in spans[3:]:
        assert list(after.take([span])) == list(plain.take([span]))
