"""smolagents' ToolCallingAgent, with OpenInference or the OpenTelemetry GenAI instrumentation."""

from __future__ import annotations

from typing import Any

import watch
from watch import QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentation."""
    if variant == "openinference":
        from openinference.instrumentation.smolagents import SmolagentsInstrumentor
    else:
        from opentelemetry.instrumentation.genai.smolagents import SmolagentsInstrumentor
    SmolagentsInstrumentor().instrument(tracer_provider=watching.provider())


def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    new_agent(task).run(QUESTION)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent as one of its own."""
    from smolagents import ToolCallingAgent, tool

    functions = list(task.tools.values())
    if task.researcher is not None:
        functions.append(sub_agent(task.researcher))
    tools = [tool(function) for function in functions]
    model, rounds = new_model(task), task.scenario.rounds
    return ToolCallingAgent(tools, model, name=task.agent, description="Helps.", verbosity_level=0, max_steps=rounds)


def new_model(task: Task):
    """A model that gives its answer as this agent wants it: as a call of the tool ``final_answer``."""
    from smolagents import OpenAIModel
    from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

    class Finishing(OpenAIModel):
        def generate(self, *args: Any, **kwargs: Any):
            message = super().generate(*args, **kwargs)
            if not message.tool_calls:
                function = ChatMessageToolCallFunction(name="final_answer", arguments={"answer": message.content})
                message.tool_calls = [ChatMessageToolCall(function, id="call_final", type="function")]
            return message

    return Finishing(model_id="gpt-4o-mini", api_base=f"{task.url}/v1", api_key="none")


def sub_agent(task: Task):
    """A tool that asks another agent."""

    def ask_researcher(question: str) -> str:
        """Ask the researcher.

        Args:
            question: What to find out.
        """
        return str(new_agent(task).run(question))

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "limited"))
