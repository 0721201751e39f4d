"""A FastMCP server asked the same again and again: the client is told twice, refused twice, and then told to stop.

Server and client are in one process, so this runs offline: pip install otel-loopwatch "fastmcp==4.2.3".
"""

import asyncio

from fastmcp import Client, FastMCP

from otel_loopwatch.control.frameworks.fastmcp import LoopwatchMiddleware
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy

server = FastMCP("support", middleware=[LoopwatchMiddleware(Gate(ResponsePolicy()))])


@server.tool  # type: ignore[untyped-decorator]
def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


async def main() -> None:
    """A client that is stuck."""
    async with Client(server) as client:
        for _ in range(8):
            result = await client.call_tool("search_docs", {"query": "return of kettles"}, raise_on_error=False)
            print("the client reads:", *(block.text for block in result.content))


asyncio.run(main())
