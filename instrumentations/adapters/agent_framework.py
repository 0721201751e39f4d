"""Microsoft Agent Framework with its own spans."""

from __future__ import annotations

import os

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient
from brakes import INSTRUCTIONS, QUESTION, Task, main

from otel_loopwatch.control.frameworks.agent_framework import loopwatch_middleware

os.environ["ENABLE_SENSITIVE_DATA"] = "true"


async def play(task: Task) -> str:
    """Run the agent once. The framework finds the global provider by itself."""
    client = OpenAIChatCompletionClient(model="gpt-4o-mini", api_key="none", base_url=f"{task.url}/v1")
    agent = Agent(
        client=client,
        name=task.agent,
        instructions=INSTRUCTIONS,
        tools=[tool(function, approval_mode="never_require") for function in task.tools.values()],
        middleware=loopwatch_middleware(task.gate),
    )
    return str((await agent.run(QUESTION)).text)


if __name__ == "__main__":
    main(play)
