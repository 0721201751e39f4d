"""Strands Agents with its own spans."""

from __future__ import annotations

from brakes import INSTRUCTIONS, QUESTION, Task, main
from strands import Agent, tool
from strands.models.openai import OpenAIModel

from otel_loopwatch.control.frameworks.strands import LoopwatchHooks


async def play(task: Task) -> str:
    """Run the agent once. Strands finds the global provider by itself."""
    model = OpenAIModel(client_args={"api_key": "none", "base_url": f"{task.url}/v1"}, model_id="gpt-4o-mini")
    agent = Agent(
        model=model,
        tools=[tool(function) for function in task.tools.values()],
        hooks=[LoopwatchHooks(task.gate)],
        callback_handler=None,
        name=task.agent,
        system_prompt=INSTRUCTIONS,
    )
    return str(await agent.invoke_async(QUESTION))


if __name__ == "__main__":
    main(play)
