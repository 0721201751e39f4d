"""Pydantic AI with tools behind a FastMCP server in the same process: both make spans of each call."""

from __future__ import annotations

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, _: str) -> None:
    """Both find the global provider by themselves."""
    from pydantic_ai import Agent

    watching.provider()
    Agent.instrument_all()


async def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    from fastmcp import FastMCP
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    server = FastMCP("orders")
    for tool in task.tools.values():
        server.tool(tool)
    model = OpenAIChatModel("gpt-4o-mini", provider=OpenAIProvider(base_url=f"{task.url}/v1", api_key="none"))
    agent = Agent(
        model, name=task.agent, instructions=INSTRUCTIONS, toolsets=[MCPToolset(server, max_retries=9)], retries=9
    )
    async with agent:
        await agent.run(QUESTION)


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "error"))
