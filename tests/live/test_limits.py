"""Values the SDK cut at its limits: different ones look alike, so they are taken for equal to nothing."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from live_agent import AGENT
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.trace import Tracer

from otel_loopwatch.live import _environment_limits
from otel_loopwatch.model import LoopSignal, RunSummary
from otel_loopwatch.processor import LoopwatchSpanProcessor

LIMIT = 80
LONG = "a question with a long beginning that is the same each time, and an ending " + "x" * LIMIT
ANSWER = "The policy of this shop about kettles that do not boil any more is the following: "


def tool_spans(tracer: Tracer, number: int) -> None:
    """A call whose arguments and result differ only behind the limit."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    with tracer.start_as_current_span("execute_tool search", attributes=attributes) as span:
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps({"query": f"{LONG}{number}"}))
        span.set_attribute("gen_ai.tool.call.result", f"{ANSWER}{number}")


def flat_messages(tracer: Tracer, number: int) -> None:
    """The same in the flat messages of model spans, where each request tells the last result."""
    call = "message.tool_calls.0.tool_call."
    attributes: dict[str, str] = {
        "openinference.span.kind": "LLM",
        f"llm.output_messages.0.{call}id": f"call-{number}",
        f"llm.output_messages.0.{call}function.name": "search",
        f"llm.output_messages.0.{call}function.arguments": json.dumps({"query": f"{LONG}{number}"}),
        "llm.input_messages.0.message.role": "tool",
        "llm.input_messages.0.message.tool_call_id": f"call-{number - 1}",
        "llm.input_messages.0.message.content": f"{ANSWER}{number - 1}",
    }
    tracer.start_span("ChatCompletion", attributes=attributes).end()


def signals(call: Callable[[Tracer, int], None], limits: SpanLimits | None, number: Callable[[int], int]) -> int:
    """Signals about twenty calls."""
    found = []

    def note(signal: LoopSignal, run: RunSummary) -> None:
        found.append(signal)

    provider = TracerProvider(span_limits=limits, shutdown_on_exit=False)
    provider.add_span_processor(LoopwatchSpanProcessor(control_hook=note))
    tracer = provider.get_tracer("agents")
    with tracer.start_as_current_span("invoke_agent support", attributes=AGENT):
        for each in range(20):
            call(tracer, number(each))
    return len(found)


CUT = SpanLimits(max_span_attribute_length=LIMIT)


@pytest.mark.parametrize("call", [tool_spans, flat_messages])
@pytest.mark.filterwarnings("ignore")
def test_what_was_cut_is_no_repeat(call: Callable[[Tracer, int], None]) -> None:
    """Twenty different calls are cut to one text; with the limit known, nothing is signalled."""
    assert signals(call, CUT, lambda each: each) == 0


def test_without_a_limit_equal_long_values_are_a_repeat() -> None:
    """Length alone says nothing."""
    assert signals(tool_spans, None, lambda each: 7) > 0


@pytest.mark.parametrize("variable", ["OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"])
def test_limits_of_the_environment_count(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both variables, where the application passes no limits."""
    monkeypatch.setenv(variable, str(LIMIT))
    assert signals(tool_spans, None, lambda each: each) == 0


def test_an_sdk_that_hides_its_limits_is_asked_through_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The span's own limits are no public name: without it the variables are what is known."""
    monkeypatch.setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", str(LIMIT))
    monkeypatch.setattr("otel_loopwatch.live.SpanLimits", type("Other", (SpanLimits,), {}))
    _environment_limits.cache_clear()
    assert signals(tool_spans, None, lambda each: each) == 0
    _environment_limits.cache_clear()
