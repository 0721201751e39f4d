"""CrewAI with OpenLLMetry, or with OpenInference by its wrappers or by its event listener."""

from __future__ import annotations

import os
import time

import watch
from watch import QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentation. CrewAI's own telemetry goes: it would leave the machine."""
    os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_DISABLE_TRACKING="true", CREWAI_TRACING_ENABLED="false")
    if variant == "openllmetry":
        from opentelemetry.instrumentation.crewai import CrewAIInstrumentor
    else:
        from openinference.instrumentation.crewai import CrewAIInstrumentor

    events = {"use_event_listener": True, "create_llm_spans": True} if variant == "openinference-events" else {}
    CrewAIInstrumentor().instrument(tracer_provider=watching.provider(), **events)


def play(task: Task) -> None:
    """Run a crew of one once. A tool's error always goes to the model."""
    ask(task, QUESTION)


def ask(task: Task, question: str) -> str:
    """The crew's answer."""
    from crewai import LLM, Agent, Crew
    from crewai import Task as CrewTask
    from crewai.tools import tool

    functions = list(task.tools.values())
    if task.researcher is not None:
        functions.append(sub_agent(task.researcher))
    tools = [tool(function.__name__)(function) for function in functions]
    for made in tools:
        made.cache_function = lambda *_: False
    llm = LLM(model="openai/gpt-4o-mini", base_url=f"{task.url}/v1", api_key="none", stream=task.scenario.stream)
    agent = Agent(role=task.agent, goal="help", backstory="You help.", tools=tools, llm=llm, cache=False)
    asked = CrewTask(description=question, expected_output="an answer", agent=agent)
    return str(Crew(name=task.agent, agents=[agent], tasks=[asked], cache=False).kickoff())


def sub_agent(task: Task):
    """A tool that asks another crew."""

    def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        return ask(task, question)

    return ask_researcher


if __name__ == "__main__":
    watch.main(
        set_up, play, ("looping", "healthy", "parallel", "sub_agent", "error", "stream"), flush=lambda: time.sleep(0.5)
    )
