"""Pydantic AI with the capability, and its own spans."""

from __future__ import annotations

from brakes import INSTRUCTIONS, QUESTION, Task, main
from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from otel_loopwatch.control.frameworks.pydantic_ai import LoopwatchCapability


async def play(task: Task) -> str:
    """Run the agent once."""
    model = OpenAIChatModel("gpt-4o-mini", provider=OpenAIProvider(base_url=f"{task.url}/v1", api_key="none"))
    agent = Agent(model, name=task.agent, instructions=INSTRUCTIONS, capabilities=[LoopwatchCapability(task.gate)])
    for name, tool in task.tools.items():
        agent.tool_plain(tool, name=name)
    return str((await agent.run(QUESTION)).output)


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on; the global provider is used."""
    Agent.instrument_all()


if __name__ == "__main__":
    main(play, instrument)
