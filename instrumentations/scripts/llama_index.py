"""LlamaIndex's FunctionAgent, with OpenInference, OpenLLMetry or the OpenTelemetry GenAI instrumentation."""

from __future__ import annotations

from typing import Any

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentation."""
    if variant == "openinference":
        from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
    elif variant == "openllmetry":
        from opentelemetry.instrumentation.llamaindex import LlamaIndexInstrumentor
    else:
        from opentelemetry.instrumentation.genai.llama_index import LlamaIndexInstrumentor
    LlamaIndexInstrumentor().instrument(tracer_provider=watching.provider())


async def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model; the calls of the last iteration are not made."""
    await new_agent(task).run(QUESTION, max_iterations=task.scenario.rounds + 1)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent behind a tool."""
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.llms.mock import MockFunctionCallingLLM
    from llama_index.core.tools import FunctionTool

    model = MockFunctionCallingLLM(response_generator=lambda *_, **__: answer(task), is_chat_model=True)
    tools = [FunctionTool.from_defaults(tool) for tool in task.tools.values()]
    if task.researcher is not None:
        tools.append(FunctionTool.from_defaults(async_fn=sub_agent(task.researcher), name="ask_researcher"))
    return FunctionAgent(
        name=task.agent,
        description="Helps.",
        tools=tools,
        llm=model,
        system_prompt=INSTRUCTIONS,
        streaming=task.scenario.stream,
    )


def answer(task: Task):
    """What the script says, as a message."""
    from llama_index.core.base.llms.types import TextBlock, ToolCallBlock
    from llama_index.core.llms import ChatMessage

    reply = task.session.reply()
    blocks: list[Any] = [
        ToolCallBlock(tool_call_id=id_, tool_name=call.tool, tool_kwargs=dict(call.arguments))
        for id_, call in reply.calls
    ]
    return ChatMessage(role="assistant", blocks=blocks or [TextBlock(text=reply.answer)])


def sub_agent(task: Task):
    """A tool that asks another agent."""

    async def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        return str(await new_agent(task).run(question, max_iterations=20))

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "stream", "limited"))
