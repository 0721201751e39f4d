"""Tools behind an MCP server in the same process, asked for by an application's own loop: FastMCP or the MCP SDK."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import watch
from opentelemetry import trace
from watch import Task, Watch

Ask = Callable[[str, dict[str, Any]], Awaitable[Any]]


def set_up(watching: Watch, variant: str) -> None:
    """Both make spans of their own on the global provider; old versions of the SDK need OpenLLMetry for it."""
    os.environ["CONNECTED_BY"] = variant
    provider = watching.provider()
    if variant == "openllmetry":
        from opentelemetry.instrumentation.mcp import McpInstrumentor

        McpInstrumentor().instrument(tracer_provider=provider)


@asynccontextmanager
async def fastmcp(task: Task) -> AsyncIterator[Ask]:
    """FastMCP's server and client."""
    from fastmcp import Client, FastMCP

    server = FastMCP("orders")
    for tool in task.tools.values():
        server.tool(tool)
    async with Client(server) as client:
        yield client.call_tool


@asynccontextmanager
async def sdk(task: Task) -> AsyncIterator[Ask]:
    """The SDK's server and client."""
    from mcp.client import Client
    from mcp.server import MCPServer

    server = MCPServer("orders")
    for tool in task.tools.values():
        server.add_tool(tool)
    async with Client(server) as client:
        yield client.call_tool


@asynccontextmanager
async def old_sdk(task: Task) -> AsyncIterator[Ask]:
    """The SDK before version 2."""
    from mcp.server.fastmcp import FastMCP
    from mcp.shared.memory import create_connected_server_and_client_session

    server = FastMCP("orders")
    for tool in task.tools.values():
        server.add_tool(tool)
    async with create_connected_server_and_client_session(server._mcp_server) as session:
        yield session.call_tool


async def play(task: Task) -> None:
    """The application's agent: calls of one response run beside each other."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": task.agent}
    tracer = trace.get_tracer("support")
    connect = {"fastmcp": fastmcp, "sdk": sdk, "openllmetry": old_sdk}[os.environ["CONNECTED_BY"]]
    async with connect(task) as ask:
        with tracer.start_as_current_span(f"invoke_agent {task.agent}", attributes=agent):
            while calls := task.session.reply().calls:
                results = (call_tool(ask, call.tool, call.arguments) for _, call in calls)
                errors = [error for error in await asyncio.gather(*results) if error]
                if errors and task.scenario.raises:
                    raise RuntimeError(errors[0])


async def call_tool(ask: Ask, tool: str, arguments: dict[str, Any]) -> str:
    """Call a tool; the text of its error. FastMCP raises errors, the SDK returns them."""
    try:
        result = await ask(tool, arguments)
    except Exception as error:  # noqa: BLE001
        return str(error)
    failed = getattr(result, "is_error", getattr(result, "isError", False))
    return str(result.content) if failed else ""


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "error", "uncaught"))
