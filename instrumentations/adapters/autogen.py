"""AutoGen's AssistantAgent behind the gate, and OpenInference over its own spans."""

from __future__ import annotations

from autogen_ext.models.openai import OpenAIChatCompletionClient
from brakes import INSTRUCTIONS, QUESTION, Task, main
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch.control.frameworks.autogen import GatedAssistantAgent

ROUNDS = 30
"""More than any scenario needs; AutoGen's own default is one."""


async def play(task: Task) -> str:
    """Run the agent once, within one trace: AutoGen begins several."""
    model = OpenAIChatCompletionClient(model="gpt-4o-mini", api_key="none", base_url=f"{task.url}/v1")
    agent = GatedAssistantAgent(
        task.gate,
        task.agent,
        model,
        tools=list(task.tools.values()),
        system_message=INSTRUCTIONS,
        max_tool_iterations=ROUNDS,
    )
    with trace.get_tracer("support").start_as_current_span("request"):
        result = await agent.run(task=QUESTION)
    await model.close()
    return str(result.messages[-1].to_text())


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor

    AutogenAgentChatInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    main(play, instrument)
