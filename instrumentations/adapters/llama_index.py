"""LlamaIndex's FunctionAgent behind the gate, and OpenInference."""

from __future__ import annotations

from typing import Any

from brakes import INSTRUCTIONS, QUESTION, Task, main
from llama_index.core.base.llms.types import TextBlock, ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch.control.frameworks.llama_index import GatedFunctionAgent


async def play(task: Task) -> str:
    """Run the agent once."""
    model = MockFunctionCallingLLM(
        response_generator=lambda messages, *_, **__: respond(task, messages), is_chat_model=True
    )
    agent = GatedFunctionAgent(
        task.gate,
        name=task.agent,
        description="Helps.",
        tools=[FunctionTool.from_defaults(tool) for tool in task.tools.values()],
        llm=model,
        system_prompt=INSTRUCTIONS,
        streaming=False,
    )
    return str(await agent.run(QUESTION, max_iterations=50))


def respond(task: Task, messages: Any) -> ChatMessage:
    """What the script says, as a message."""
    reply = task.model.reply([message.model_dump(mode="json") for message in messages])
    blocks: list[Any] = [
        ToolCallBlock(tool_call_id=id_, tool_name=call.tool, tool_kwargs=dict(call.arguments))
        for id_, call in reply.calls
    ]
    return ChatMessage(role="assistant", blocks=blocks or [TextBlock(text=reply.answer)])


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    LlamaIndexInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    main(play, instrument)
