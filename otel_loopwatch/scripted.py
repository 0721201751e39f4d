"""An agent that plays a scenario offline: a real tracer, spans as the GenAI conventions have them, no model."""

from __future__ import annotations

import json
from collections.abc import Callable

from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Span, Status, StatusCode, Tracer, use_span

from otel_loopwatch.scenarios import Scenario, Step

START_NS = 1_780_000_000_000_000_000
"""When every scripted run starts (May 2026): the same run is the same to the nanosecond."""

CALL_NS = 250_000_000
TOKENS_PER_TURN = 420


class CountingIds(IdGenerator):
    """Ids 1, 2, 3, ...: spans of a scripted run can be named in documents and tests."""

    def __init__(self) -> None:
        self._last = 0

    def generate_span_id(self) -> int:
        """The next id."""
        self._last += 1
        return self._last

    def generate_trace_id(self) -> int:
        """The next id, as a trace's."""
        return self.generate_span_id()


def play(
    tracer: Tracer,
    scenario: Scenario,
    *,
    before_call: Callable[[], None] = lambda: None,
    after_call: Callable[[int, Step, Span], None] = lambda number, step, span: None,
    start_ns: int = START_NS,
) -> str:
    """Run the agent to its answer.

    ``before_call`` is asked before each call, where an application would check whether to go on; what it raises ends
    the run and reaches the caller. ``after_call`` gets the call's number (from 1), the step and its ended span.
    """
    now = start_ns
    agent = tracer.start_span(
        f"invoke_agent {scenario.agent}",
        start_time=now,
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": scenario.agent},
    )
    try:
        with use_span(agent, end_on_exit=False, record_exception=False):
            for number, step in enumerate(scenario.steps, 1):
                now += int(step.after_s * 1e9)
                before_call()
                think(tracer, now - CALL_NS)
                after_call(number, step, call(tracer, step, f"call-{number}", now))
        return scenario.answer
    finally:
        agent.end(now + 2 * CALL_NS)


def think(tracer: Tracer, start_ns: int) -> None:
    """One model response, as a chat span."""
    span = tracer.start_span(
        "chat scripted",
        start_time=start_ns,
        attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "scripted"},
    )
    span.set_attributes({"gen_ai.usage.input_tokens": TOKENS_PER_TURN, "gen_ai.usage.output_tokens": 0})
    span.end(start_ns + CALL_NS // 2)


def call(tracer: Tracer, step: Step, call_id: str, start_ns: int) -> Span:
    """One tool call, as an execute_tool span."""
    span = tracer.start_span(
        f"execute_tool {step.tool}",
        start_time=start_ns,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": step.tool,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": json.dumps(step.arguments),
        },
    )
    if step.error is None:
        span.set_attribute("gen_ai.tool.call.result", step.result)
    else:
        span.set_status(Status(StatusCode.ERROR, step.error))
        span.set_attribute("error.type", "ToolError")
    span.end(start_ns + CALL_NS)
    return span
