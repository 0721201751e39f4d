"""Haystack's Agent with its tools behind the gate, and the tracer of opentelemetry-haystack."""

from __future__ import annotations

import os

from brakes import INSTRUCTIONS, QUESTION, Task, main
from opentelemetry.sdk.trace import TracerProvider

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # it would leave the machine
os.environ["HAYSTACK_CONTENT_TRACING_ENABLED"] = "true"

from haystack import tracing
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function

from otel_loopwatch.control.frameworks.haystack import hooks


def play(task: Task) -> str:
    """Run the agent once."""
    agent = Agent(
        chat_generator=OpenAIChatGenerator(model="gpt-4o-mini", api_base_url=f"{task.url}/v1"),
        tools=[create_tool_from_function(function) for function in task.tools.values()],
        system_prompt=INSTRUCTIONS,
        hooks=hooks(task.gate, task.agent),
    )
    return str(agent.run(messages=[ChatMessage.from_user(QUESTION)])["last_message"].text)


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

    tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))


if __name__ == "__main__":
    main(play, instrument)
