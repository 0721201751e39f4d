"""smolagents' ToolCallingAgent with its tools behind the gate, and OpenInference."""

from __future__ import annotations

from typing import Any

from brakes import QUESTION, Task, main
from opentelemetry.sdk.trace import TracerProvider
from smolagents import OpenAIModel, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

from otel_loopwatch.control.frameworks.smolagents import attach


class Finishing(OpenAIModel):  # type: ignore[misc]
    """Gives its answer as this agent wants it: as a call of the tool ``final_answer``."""

    def generate(self, *args: Any, **kwargs: Any) -> Any:
        """The next response."""
        message = super().generate(*args, **kwargs)
        if not message.tool_calls:
            function = ChatMessageToolCallFunction(name="final_answer", arguments={"answer": message.content})
            message.tool_calls = [ChatMessageToolCall(function, id="call_final", type="function")]
        return message


def play(task: Task) -> str:
    """Run the agent once."""
    model = Finishing(model_id="gpt-4o-mini", api_base=f"{task.url}/v1", api_key="none")
    tools = [tool(function) for function in task.tools.values()]
    agent = ToolCallingAgent(tools, model, name=task.agent, description="Helps.", verbosity_level=0)
    attach(agent, task.gate)
    return str(agent.run(QUESTION))


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from openinference.instrumentation.smolagents import SmolagentsInstrumentor

    SmolagentsInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    main(play, instrument)
