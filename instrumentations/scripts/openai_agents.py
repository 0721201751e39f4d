"""OpenAI Agents, with OpenInference, OpenLLMetry or the OpenTelemetry GenAI instrumentation."""

from __future__ import annotations

from dataclasses import dataclass

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


@dataclass
class Question:
    """What the sub-agent is asked."""

    question: str


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentations. OpenAI's own exporter goes: it would leave the machine."""
    from agents import set_trace_processors

    set_trace_processors([])
    provider = watching.provider()
    for instrumentation in variant.split("+"):
        instrumentor(instrumentation).instrument(tracer_provider=provider)


def instrumentor(name: str):
    """The instrumentor that a part of the variant names."""
    if name == "openinference":
        from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
    elif name == "openllmetry":
        from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor
    else:
        from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor
    return OpenAIAgentsInstrumentor()


async def play(task: Task) -> None:
    """Run the agent once."""
    from agents import Runner

    agent = new_agent(task)
    if task.scenario.stream:
        streamed = Runner.run_streamed(agent, QUESTION, max_turns=task.scenario.rounds)
        async for _ in streamed.stream_events():
            pass
    else:
        await Runner.run(agent, QUESTION, max_turns=task.scenario.rounds)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent as a tool."""
    from agents import Agent, OpenAIResponsesModel, function_tool
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=f"{task.url}/v1", max_retries=0, api_key="none")
    uncaught = {"failure_error_function": None} if task.scenario.raises else {}
    tools = [function_tool(tool, **uncaught) for tool in task.tools.values()]
    if task.researcher is not None:
        tools.append(new_agent(task.researcher).as_tool("ask_researcher", "Ask the researcher.", parameters=Question))
    model = OpenAIResponsesModel(model="gpt-4o-mini", openai_client=client)
    return Agent(name=task.agent, instructions=INSTRUCTIONS, model=model, tools=tools)


if __name__ == "__main__":
    watch.main(set_up, play)
