"""smolagents' ToolCallingAgent with OpenInference."""

from __future__ import annotations

import watch
from watch import QUESTION, Task, Watch


def set_up(watching: Watch, _: str) -> None:
    """Global provider, then the instrumentation."""
    from openinference.instrumentation.smolagents import SmolagentsInstrumentor

    SmolagentsInstrumentor().instrument(tracer_provider=watching.provider())


def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    new_agent(task).run(QUESTION)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent as one of its own."""
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    model = OpenAIModel(model_id="gpt-4o-mini", api_base=f"{task.url}/v1", api_key="none")
    functions = list(task.tools.values())
    if task.researcher is not None:
        functions.append(sub_agent(task.researcher))
    tools = [tool(function) for function in functions]
    return ToolCallingAgent(tools, model, name=task.agent, description="Helps.", verbosity_level=0, max_steps=15)


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
    watch.main(set_up, play, scenarios=("looping", "healthy", "parallel", "sub_agent", "error"))
