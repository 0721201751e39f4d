"""Microsoft Agent Framework with its own spans, or as OpenInference rewrites them."""

from __future__ import annotations

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """The framework finds the global provider by itself; OpenInference rewrites the spans before all others."""
    rewriting = []
    if variant == "openinference":
        from openinference.instrumentation.agent_framework import AgentFrameworkToOpenInferenceProcessor

        rewriting.append(AgentFrameworkToOpenInferenceProcessor())
    watching.provider(*rewriting)


async def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    if task.scenario.stream:
        async for _ in new_agent(task).run(QUESTION, stream=True):
            pass
    else:
        await new_agent(task).run(QUESTION)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent as a tool."""
    from agent_framework import Agent, tool
    from agent_framework.openai import OpenAIChatCompletionClient

    client = OpenAIChatCompletionClient(model="gpt-4o-mini", api_key="none", base_url=f"{task.url}/v1")
    client.function_invocation_configuration["max_consecutive_errors_per_request"] = 9
    client.function_invocation_configuration["max_iterations"] = task.scenario.rounds
    tools = [tool(function, approval_mode="never_require") for function in task.tools.values()]
    if task.researcher is not None:
        tools.append(new_agent(task.researcher).as_tool(name="ask_researcher", arg_name="question"))
    return Agent(client=client, name=task.agent, instructions=INSTRUCTIONS, tools=tools)


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "stream", "limited"))
