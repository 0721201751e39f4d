"""What the scripts of decorators share: an application's own agent, whose functions are decorated."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from watch import QUESTION, Task
from wire import Reply

Decorate = Callable[[Callable[..., Any]], Callable[..., Any]]


class Decorators(NamedTuple):
    """How the functions of an application are decorated."""

    tool: Decorate
    model: Decorate
    agent: Callable[[str], Decorate]
    """By the agent's name."""


def run(task: Task, decorators: Decorators) -> str:
    """Run the application's agent once."""
    tools = {name: decorators.tool(tool) for name, tool in task.tools.items()}
    researcher = task.researcher
    if researcher is not None:

        def ask_researcher(question: str) -> str:
            return run(researcher, decorators)

        tools["ask_researcher"] = decorators.tool(ask_researcher)

    @decorators.model
    def ask_model() -> Reply:
        return task.session.reply()

    @decorators.agent(task.agent)
    def agent(question: str) -> str:
        given_to_the_model = () if task.scenario.raises else (LookupError,)
        while calls := (reply := ask_model()).calls:
            for _, call in calls:
                with suppress(*given_to_the_model):
                    tools[call.tool](**call.arguments)
        return reply.answer

    return str(agent(QUESTION))
