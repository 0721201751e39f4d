"""DSPy's ReAct, with OpenInference or the OpenTelemetry GenAI instrumentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import watch
from watch import QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentation."""
    if variant == "openinference":
        from openinference.instrumentation.dspy import DSPyInstrumentor
    else:
        from opentelemetry.instrumentation.genai.dspy import DSPyInstrumentor
    DSPyInstrumentor().instrument(tracer_provider=watching.provider())


def play(task: Task) -> None:
    """Run the agent once. A tool's error always goes to the model."""
    ask(task, QUESTION)


def ask(task: Task, question: str) -> str:
    """The agent's answer; its sub-agent is behind a tool."""
    import dspy
    from dspy.utils import DummyLM

    tools = list(task.tools.values())
    if task.researcher is not None:
        tools.append(sub_agent(task.researcher))
    agent = dspy.ReAct("question -> answer", tools=tools, max_iters=20)
    with dspy.context(lm=DummyLM(answers(task))):
        return str(agent(question=question).answer)


def answers(task: Task) -> Iterator[dict[str, Any]]:
    """What the script says, as ReAct's fields; it asks for one call at a time."""
    while calls := (reply := task.session.reply()).calls:
        for _, call in calls:
            yield {"next_thought": "Look.", "next_tool_name": call.tool, "next_tool_args": dict(call.arguments)}
    yield {"next_thought": "Done.", "next_tool_name": "finish", "next_tool_args": {}}
    yield {"reasoning": "Read.", "answer": reply.answer}


def sub_agent(task: Task):
    """A tool that asks another agent."""

    def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        return ask(task, question)

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play, scenarios=("looping", "healthy", "sub_agent", "error"))
