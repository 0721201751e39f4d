"""A LlamaIndex agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "llama-index-core==0.14.25".
"""

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool

from otel_loopwatch.control.frameworks.llama_index import GatedFunctionAgent
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


def stuck(messages: Any, *_: Any, **__: Any) -> ChatMessage:
    """In place of a real model: asks for the same search, whatever it is told."""
    print("the model reads:", str(messages[-1].content)[:400])
    search = {"query": "return of kettles"}
    call = ToolCallBlock(tool_call_id=f"call-{len(messages)}", tool_name="search_docs", tool_kwargs=search)
    return ChatMessage(role="assistant", blocks=[call])


def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


async def main() -> None:
    """Run the agent once."""
    agent = GatedFunctionAgent(
        Gate(ResponsePolicy()),
        tools=[FunctionTool.from_defaults(search_docs)],
        llm=MockFunctionCallingLLM(response_generator=stuck, is_chat_model=True),
        streaming=False,
    )
    print("the agent says:", await agent.run("Can the kettle be returned?"))


asyncio.run(main())
