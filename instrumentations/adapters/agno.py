"""An Agno agent behind the gate, and OpenInference."""

from __future__ import annotations

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from brakes import INSTRUCTIONS, QUESTION, Task, main
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch.control.frameworks.agno import attach


def play(task: Task) -> str:
    """Run the agent once."""
    model = OpenAIChat(id="gpt-4o-mini", api_key="none", base_url=f"{task.url}/v1")
    tools = list(task.tools.values())
    agent = Agent(name=task.agent, model=model, tools=tools, instructions=INSTRUCTIONS, telemetry=False)
    attach(agent, task.gate)
    return str(agent.run(QUESTION).content)


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from openinference.instrumentation.agno import AgnoInstrumentor

    AgnoInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    main(play, instrument)
