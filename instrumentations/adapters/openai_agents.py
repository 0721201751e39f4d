"""OpenAI Agents with a guarded agent, and OpenInference."""

from __future__ import annotations

from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_trace_processors
from brakes import INSTRUCTIONS, QUESTION, Task, main
from openai import AsyncOpenAI
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch.control.frameworks.openai_agents import guarded


async def play(task: Task) -> str:
    """Run the agent once."""
    async with AsyncOpenAI(base_url=f"{task.url}/v1", max_retries=0, api_key="none") as client:
        model = OpenAIResponsesModel(model="gpt-4o-mini", openai_client=client)
        tools = [function_tool(tool) for tool in task.tools.values()]
        agent = guarded(Agent(name=task.agent, instructions=INSTRUCTIONS, model=model, tools=tools), task.gate)
        return str((await Runner.run(agent, QUESTION, max_turns=50)).final_output)


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    set_trace_processors([])  # OpenAI's own exporter would leave the machine
    main(play, instrument)
