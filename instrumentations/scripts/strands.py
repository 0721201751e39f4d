"""Strands Agents with its own spans, or as OpenInference rewrites them."""

from __future__ import annotations

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Strands finds the global provider by itself; OpenInference rewrites the spans before all others."""
    rewriting = []
    if variant == "openinference":
        from openinference.instrumentation.strands_agents import StrandsAgentsToOpenInferenceProcessor

        rewriting.append(StrandsAgentsToOpenInferenceProcessor())
    watching.provider(*rewriting)


async def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    limits = {"turns": task.scenario.rounds}
    if task.scenario.stream:
        async for _ in new_agent(task).stream_async(QUESTION, limits=limits):
            pass
    else:
        await new_agent(task).invoke_async(QUESTION, limits=limits)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent behind a tool."""
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    model = OpenAIModel(client_args={"api_key": "none", "base_url": f"{task.url}/v1"}, model_id="gpt-4o-mini")
    tools = [tool(function) for function in task.tools.values()]
    if task.researcher is not None:
        tools.append(tool(sub_agent(task.researcher)))
    return Agent(model=model, tools=tools, callback_handler=None, name=task.agent, system_prompt=INSTRUCTIONS)


def sub_agent(task: Task):
    """A tool that asks another agent."""

    async def ask_researcher(question: str) -> str:
        """Ask the researcher.

        Args:
            question: What to find out.
        """
        return str(await new_agent(task).invoke_async(question))

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "stream", "limited"))
