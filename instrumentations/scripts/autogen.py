"""AutoGen's AssistantAgent, with its own spans or with OpenInference over them."""

from __future__ import annotations

import watch
from opentelemetry import trace
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """AutoGen finds the global provider by itself."""
    provider = watching.provider()
    if variant == "openinference":
        from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor

        AutogenAgentChatInstrumentor().instrument(tracer_provider=provider)


async def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    with trace.get_tracer("support").start_as_current_span("request"):
        if task.scenario.stream:
            async for _ in new_agent(task).run_stream(task=QUESTION):
                pass
        else:
            await new_agent(task).run(task=QUESTION)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent behind a tool."""
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    model = OpenAIChatCompletionClient(model="gpt-4o-mini", api_key="none", base_url=f"{task.url}/v1")
    tools = list(task.tools.values())
    if task.researcher is not None:
        tools.append(sub_agent(task.researcher))
    return AssistantAgent(
        task.agent,
        model_client=model,
        tools=tools,
        system_message=INSTRUCTIONS,
        max_tool_iterations=task.scenario.rounds,
    )


def sub_agent(task: Task):
    """A tool that asks another agent."""

    async def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        result = await new_agent(task).run(task=question)
        return str(result.messages[-1].to_text())

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "stream", "limited"))
