"""What is written onto spans before they go on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from fleet.material import START_NS, Material, Mix, Trace, agent, retry

from otel_loopwatch.control.hook import ControlHook, halt, observe
from otel_loopwatch.model import Action
from otel_loopwatch.otlp import decode
from otel_loopwatch.settings import Options
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream.marks import MarkedSpan
from otel_loopwatch.stream.state import BadState
from otel_loopwatch.telemetry import names
from otel_loopwatch.worker.judge import Judge
from otel_loopwatch.worker.marking import Marking
from otel_loopwatch.worker.messages import Encoding, parse


def judge(hook: ControlHook = halt) -> Judge:
    """One that marks."""
    return Judge(Options(), Marking(hook, "{:x}".format))


@pytest.fixture
def looping(monkeypatch: pytest.MonkeyPatch) -> list[SpanData]:
    """An agent that sends the same order nine times, and is refused each time."""
    monkeypatch.setattr("fleet.material.script", lambda random, mix: retry(random, 9))
    material, trace = Material(1, 1), Trace(Random(1), START_NS)
    return list(decode.spans(material._request(list(agent(trace, Mix(), "writer", b"")))))


def of_agent(marks: dict[tuple[int, int], MarkedSpan], spans: Sequence[SpanData]) -> MarkedSpan:
    """The marks of the agent's span, which is the last."""
    return marks[spans[-1].trace_id, spans[-1].span_id]


def test_calls_loops_and_runs_are_marked(looping: list[SpanData]) -> None:
    """Outcome and fingerprints on each call, the loop where it was found, the balance on the agent's span."""
    marks = judge().take(looping).marks
    tools = [
        marks[span.trace_id, span.span_id].attributes for span in looping if span.name == "execute_tool send_order"
    ]
    assert len(marks) == len(tools) + 1
    assert {names.CALL_OUTCOME, names.CALL_FINGERPRINT, names.RESULT_FINGERPRINT} <= tools[0].keys()
    levels = [(place, tool[names.LOOP_LEVEL]) for place, tool in enumerate(tools, 1) if names.LOOP_LEVEL in tool]
    assert levels == [(3, "warning"), (5, "critical")]
    whole = of_agent(marks, looping)
    assert whole.attributes[names.RUN_STATUS] == "halted"
    assert whole.attributes[names.LOOP_LEVEL] == "critical"
    assert [event.name for event in whole.events] == [names.LOOP_EVENT] * 2
    assert whole.error


def test_observing_halts_nobody(looping: list[SpanData]) -> None:
    """The run is said to have looped, no more."""
    whole = of_agent(judge(observe).take(looping).marks, looping)
    assert whole.attributes[names.RUN_STATUS] == "looped"
    assert whole.attributes[names.LOOP_ACTION] == Action.CONTINUE.value
    assert whole.error is None


def test_the_agents_span_is_marked_after_a_restart_as_well(looping: list[SpanData]) -> None:
    """What it is to say is saved with the trace."""
    trace_id, first, second = looping[0].trace_id, judge(), judge()
    first.take(looping[:-1])
    state = first.save(trace_id)
    assert state is not None
    second.restore(trace_id, state)
    assert of_agent(second.take(looping[-1:]).marks, looping) == of_agent(judge().take(looping).marks, looping)
    assert second.save(trace_id) is None


def test_a_span_that_has_gone_on_is_not_marked(looping: list[SpanData]) -> None:
    """Marks are of the message at hand alone."""
    first = judge()
    for spans in (looping[:9], looping[9:]):
        assert {span_id for _, span_id in first.take(spans).marks} <= {span.span_id for span in spans}


def test_nothing_is_written_where_nobody_reads_it(looping: list[SpanData]) -> None:
    """A judge without marking saves traces that one with marking can go on with, and the other way round."""
    trace_id, plain = looping[0].trace_id, Judge(Options())
    assert plain.take(looping[:-1]).marks == {}
    for one, other in ((plain, judge()), (judge(), Judge(Options()))):
        one.take(looping[:-1])
        other.restore(trace_id, one.save(trace_id) or b"")
        assert other.follows(trace_id)


@pytest.mark.parametrize("state", [b"", b"\x92\xc4\x00\xc4\x01\xff"])
def test_what_is_no_state_is_refused(state: bytes) -> None:
    """Another program wrote it."""
    with pytest.raises(BadState):
        judge().restore(1, state)


def test_names_that_are_no_unicode_are_not_saved() -> None:
    """They cannot be written; the trace is saved without them."""
    trace = Trace(Random(1), START_NS)
    marking = Marking(observe, "{:x}".format)
    request = Material(1, 1)._request([trace.span("execute_tool a", b"", gen_ai__tool__name="a")])
    span = next(decode.spans(parse(Encoding.PROTO, request.SerializeToString())))
    marking._looped[f"{span.trace_id:032x}"] = {"\ud800": next(iter([]), None)}  # type: ignore[dict-item]
    other = Marking(observe, "{:x}".format)
    other.restore(span.trace_id, marking.save(span.trace_id))
    assert other.save(span.trace_id) == Marking(observe, "{:x}".format).save(span.trace_id)
