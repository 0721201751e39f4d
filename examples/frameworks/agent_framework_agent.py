"""An agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "agent-framework-core==1.23.0".
"""

import asyncio
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
)

from otel_loopwatch.control.frameworks.agent_framework import loopwatch_middleware
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


class StuckModel(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # type: ignore[misc] # in place of a real one
    """Asks for the same search, whatever it is told."""

    async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> ChatResponse:
        print("the model reads:", [content.result or content.text for content in messages[-1].contents])
        call = Content.from_function_call(
            f"call-{len(messages)}", "search_docs", arguments={"query": "return of kettles"}
        )
        return ChatResponse(messages=[Message(role="assistant", contents=[call])])


def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


gate = Gate(ResponsePolicy())
agent = Agent(client=StuckModel(), tools=[search_docs], middleware=loopwatch_middleware(gate))
print("the agent says:", asyncio.run(agent.run("Can the kettle be returned?")))
