"""Haystack's Agent, with the tracer of opentelemetry-haystack, OpenInference or OpenLLMetry."""

from __future__ import annotations

import os

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then Haystack's tracer. Its own telemetry goes: it would leave the machine."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    provider = watching.provider()
    if variant == "native":
        from haystack import tracing
        from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

        tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))
        return
    if variant == "openinference":
        from openinference.instrumentation.haystack import HaystackInstrumentor
    else:
        from opentelemetry.instrumentation.haystack import HaystackInstrumentor
    HaystackInstrumentor().instrument(tracer_provider=provider)


def play(task: Task) -> None:
    """Run the agent once."""
    ask(task, QUESTION)


def ask(task: Task, question: str) -> str:
    """The agent's answer; its sub-agent is behind a tool."""
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.tools import create_tool_from_function

    functions = list(task.tools.values())
    if task.researcher is not None:
        functions.append(sub_agent(task.researcher))
    agent = Agent(
        chat_generator=OpenAIChatGenerator(model="gpt-4o-mini", api_base_url=f"{task.url}/v1"),
        tools=[create_tool_from_function(function) for function in functions],
        system_prompt=INSTRUCTIONS,
        max_agent_steps=task.scenario.rounds,
        streaming_callback=(lambda _: None) if task.scenario.stream else None,
        raise_on_tool_invocation_failure=task.scenario.raises,
    )
    return str(agent.run(messages=[ChatMessage.from_user(question)])["messages"][-1].text)


def sub_agent(task: Task):
    """A tool that asks another agent."""

    def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        return ask(task, question)

    return ask_researcher


if __name__ == "__main__":
    watch.main(
        set_up,
        play,
        scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "uncaught", "stream", "limited"),
    )
