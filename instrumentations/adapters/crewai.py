"""A CrewAI crew of one behind the gate, and OpenInference."""

from __future__ import annotations

import os

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_DISABLE_TRACKING="true", CREWAI_TRACING_ENABLED="false")

from brakes import QUESTION, Task, main
from crewai import LLM, Agent, Crew
from crewai import Task as CrewTask
from crewai.tools import tool
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch.control.frameworks.crewai import gated


def play(task: Task) -> str:
    """Run the crew once, without the cache, which would answer in the tools' place."""
    tools = [tool(function.__name__)(function) for function in task.tools.values()]
    for made in tools:
        made.cache_function = lambda *_: False
    llm = LLM(model="openai/gpt-4o-mini", base_url=f"{task.url}/v1", api_key="none")
    agent = Agent(role=task.agent, goal="help", backstory="You help.", tools=tools, llm=llm, cache=False)
    asked = CrewTask(description=QUESTION, expected_output="an answer", agent=agent)
    crew = Crew(name=task.agent, agents=[agent], tasks=[asked], cache=False)
    with gated(task.gate):
        return str(crew.kickoff())


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from openinference.instrumentation.crewai import CrewAIInstrumentor

    CrewAIInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    main(play, instrument)
