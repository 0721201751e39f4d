"""Agno, with OpenInference, OpenLLMetry or the OpenTelemetry GenAI instrumentations."""

from __future__ import annotations

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentations."""
    provider = watching.provider()
    if variant == "openinference":
        from openinference.instrumentation.agno import AgnoInstrumentor
    elif variant == "openllmetry":
        from opentelemetry.instrumentation.agno import AgnoInstrumentor
    else:
        from opentelemetry.instrumentation.genai.agno import AgnoInstrumentor
    AgnoInstrumentor().instrument(tracer_provider=provider)
    if variant == "genai+openai":
        from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

        OpenAIInstrumentor().instrument(tracer_provider=provider)


def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    if task.scenario.stream:
        for _ in new_agent(task).run(QUESTION, stream=True):
            pass
    else:
        new_agent(task).run(QUESTION)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent behind a tool."""
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    model = OpenAIChat(id="gpt-4o-mini", api_key="none", base_url=f"{task.url}/v1")
    tools = list(task.tools.values())
    if task.researcher is not None:
        tools.append(sub_agent(task.researcher))
    return Agent(
        name=task.agent,
        model=model,
        tools=tools,
        instructions=INSTRUCTIONS,
        tool_call_limit=task.scenario.rounds,
        telemetry=False,
    )


def sub_agent(task: Task):
    """A tool that asks another agent."""

    def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        return str(new_agent(task).run(question).content)

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "stream", "limited"))
