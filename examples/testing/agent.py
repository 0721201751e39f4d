"""A support agent: a model says what to call next until it has an answer. Its spans are those of the conventions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from opentelemetry import trace

from otel_loopwatch import current_run

Message = tuple[str, str]
"""Who says it, and what."""

Model = Callable[[list[Message]], "tuple[str, dict[str, Any]] | str"]
"""Gets the conversation; says which tool to call with what, or gives the answer."""

Tools = Mapping[str, Callable[[dict[str, Any]], str]]

tracer = trace.get_tracer("support-agent")


def answer(question: str, model: Model, tools: Tools, max_calls: int = 20) -> str:
    """Ask the model, run its tools, hand it what Loopwatch advises, and stop at its answer."""
    messages = [("user", question)]
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"}
    with tracer.start_as_current_span("invoke_agent support", attributes=attributes):
        for _ in range(max_calls):
            said = model(messages)
            if isinstance(said, str):
                return said
            messages.append(("tool", call(tools, *said)))
            if (advice := current_run().advice) is not None:
                messages.append(("system", advice))
    return "I could not find out."


def call(tools: Tools, tool: str, arguments: dict[str, Any]) -> str:
    """Run one tool."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.arguments": json.dumps(arguments),
    }
    with tracer.start_as_current_span(f"execute_tool {tool}", attributes=attributes) as span:
        result = tools[tool](arguments)
        span.set_attribute("gen_ai.tool.call.result", result)
        return result
