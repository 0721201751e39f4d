from collections.abc import Iterable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live_agent import rig
from opentelemetry.context import Context
from opentelemetry.trace import Span, StatusCode, set_span_in_context

KEYS = st.sampled_from(
    [
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "gen_ai.tool.call.id",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.agent.name",
        "gen_ai.conversation.id",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "openinference.span.kind",
        "input.value",
        "output.value",
        "tool.name",
        "traceloop.span.kind",
        "traceloop.entity.input",
        "mcp.method.name",
        "error.type",
        "loopwatch.call.outcome",
        "loopwatch.progress.version",
        "loopwatch.state.fingerprint",
    ]
)
WORDS = st.sampled_from(
    [
        "execute_tool",
        "invoke_agent",
        "chat",
        "TOOL",
        "AGENT",
        "LLM",
        "tool",
        "tools/call",
        "look",
        "{}",
        "[",
        '{"a": 1}',
    ]
)
VALUES = st.one_of(
    WORDS,
    st.text(max_size=20),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.booleans(),
    st.lists(st.text(max_size=5), max_size=3),
)
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=6)
NAMES = st.sampled_from(["execute_tool look", "invoke_agent", "look", "ai.toolCall", "chat", ""])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("start"), NAMES, ATTRIBUTES, st.integers(0, 30)),
        st.tuples(st.just("set"), ATTRIBUTES, st.integers(0, 30)),
        st.tuples(st.just("fail"), st.integers(0, 30)),
        st.tuples(st.just("end"), st.one_of(st.none(), st.integers(0, 2**62)), st.integers(0, 30)),
    ),
    max_size=40,
)


def play(tracer: Any, steps: Iterable[tuple[Any, ...]]) -> list[Span]:
    """Starts, changes and ends spans in any order, some of them twice; at last all that are open."""
    spans: list[Span] = []
    for what, *details, which in steps:
        above = spans[which % len(spans)] if spans else None
        if what == "start":
            context = set_span_in_context(above, Context()) if above is not None and which % 3 else Context()
            spans.append(tracer.start_span(details[0], context=context, attributes=details[1]))
        elif above is None:
            continue
        elif what == "set":
            above.set_attributes(details[0])
        elif what == "fail":
            above.record_exception(ValueError("x"))
            above.set_status(StatusCode.ERROR, "x")
        else:
            above.end(details[0])
    for span in spans:
        span.end()
    return spans


@given(STEPS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_tree_raises_leaks_or_stays_open(steps: list[tuple[Any, ...]]) -> None:
    """Whatever attributes, trees and orders: every span is exported once, nothing of ours fails, nothing is left."""
    bench = rig(control_hook="halt")
    spans = play(bench.provider.get_tracer("any"), steps)
    assert len(bench.spans()) == len(spans)
    assert bench.counts("loopwatch.processor.failures") == {}
    assert bench.counts("loopwatch.control.hook.failures") == {}
    assert len(bench.processor._open) == 0
