"""A FastMCP server with the middleware, asked by an application's own loop; both sides make spans of their own."""

from __future__ import annotations

import asyncio
from typing import Any

from brakes import QUESTION, Task, main
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from opentelemetry import trace

from otel_loopwatch.control.frameworks.fastmcp import LoopwatchMiddleware
from otel_loopwatch.notes import farewell

MOST_TURNS = 20
STOPPED = farewell("").split(".")[0]
"""How the end of a run begins: a server cannot end it, so the application reads this and does."""


async def play(task: Task) -> str:
    """The application's agent: calls of one response run beside each other."""
    server = FastMCP("orders", middleware=[LoopwatchMiddleware(task.gate)])
    for tool in task.tools.values():
        server.tool(tool)
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": task.agent}
    tracer = trace.get_tracer("support")
    async with Client(server) as client:
        with tracer.start_as_current_span(f"invoke_agent {task.agent}", attributes=agent):
            return await converse(task, client)


async def converse(task: Task, client: Client[Any]) -> str:
    """Ask the model and run its tools until it is done, or the server says that the run is stopped."""
    messages = [QUESTION]
    for _ in range(MOST_TURNS):
        reply = task.model.reply(messages)
        if not reply.calls:
            return reply.answer
        results = await asyncio.gather(*(ask(client, call.tool, call.arguments) for _, call in reply.calls))
        messages.extend(results)
        stopped = [result for result in results if result.startswith(STOPPED)]
        if stopped:
            return stopped[0]
    raise RuntimeError("the model never came to an end")


async def ask(client: Client[Any], tool: str, arguments: dict[str, Any]) -> str:
    """The text of a result, or of its error."""
    try:
        result = await client.call_tool(tool, arguments)
    except ToolError as error:
        return str(error)
    return "\n".join(block.text for block in result.content)


if __name__ == "__main__":
    # Left out: parallel. A server does not know which calls are of one response, and takes equal ones for a loop.
    main(play, scenarios=("nudged", "blocked", "halted", "climbed", "ahead", "healthy"))
