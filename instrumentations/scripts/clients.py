"""What the model clients' scripts share: the application's own loop around a client."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from opentelemetry import trace
from scenarios import ROOTLESS
from watch import Task

Asked = tuple[str, str, dict[str, Any]]
"""Id, tool and arguments of a call that the model asks for."""
MOST_TURNS = 20


def around(task: Task) -> AbstractContextManager[object]:
    """The application's span around its loop; without one every request is a trace of its own."""
    if task.name == ROOTLESS:
        return nullcontext()
    return trace.get_tracer("support").start_as_current_span(task.agent)


def work(task: Task, ask: Callable[[], Iterable[Asked]], answer: Callable[[str, str, bool], None]) -> None:
    """Ask the model and run its tools until it is done. ``answer`` takes a call's id, its result, and if it failed."""
    with around(task):
        for _ in range(MOST_TURNS):
            calls = list(ask())
            if not calls:
                return
            for id_, tool, arguments in calls:
                answer(id_, *_run(task, tool, arguments))


def _run(task: Task, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    try:
        return str(task.tools[tool](**arguments)), False
    except LookupError as error:
        if task.scenario.raises:
            raise
        return f"Error: {error}", True
