"""Agno: a tool hook that puts a gate into the way of an agent's tools, and a post hook for the end of its runs.

Agno has no hook before a request to the model, so the methods that send one are replaced on the agent's model. The
messages shown to a tool hook would not do: calls side by side under ``arun`` may leave it an old copy of them.

The tool hook stands around each call, sync or async: it refuses one by answering in the tool's place, and adds notes to
answers. A halted run is stopped at its next call (``StopAgentRun``), and the post hook gives it the advice as content.
A run's key is Agno's ``run_id``: one that waits for a person goes on as the same run.

What it cannot do: the model is asked once more after a halt (an answer then is kept). A tool that yields its answer is
refused and stopped like any other, but what it yields is not seen. A run that an exception ended or that was cancelled
is not counted as ended, since Agno calls no hook for it; nor is one whose post hooks go to the background given the
advice as its content.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from inspect import isasyncgen, isawaitable
from typing import Any

from agno.agent import Agent
from agno.exceptions import StopAgentRun
from agno.models.base import Model
from agno.run import RunContext
from agno.run.agent import RunOutput
from agno.tools.function import ToolResult

from otel_loopwatch import notes
from otel_loopwatch.control.gate import Gate, GatedRun, Passing

INVOCATIONS = ("invoke", "ainvoke", "invoke_stream", "ainvoke_stream")
"""The methods of a model that send a request."""


def attach(agent: Agent, gate: Gate) -> None:
    """Put ``gate`` into the way of the tools of ``agent``, once, before its first run; hooks of its own are kept.

    :raises ValueError: for an agent without a model.
    """
    if not isinstance(agent.model, Model):
        raise ValueError(f"agent.model is {agent.model!r}; it must be a model of Agno when the gate is attached")
    gated = _Gated(agent, gate)

    def loopwatch_tool(
        function_name: str, function_call: Callable[..., Any], arguments: dict[str, Any], run_context: RunContext
    ) -> Any:
        return gated.call(function_name, function_call, arguments, gated.run(run_context.run_id))

    def loopwatch_end(run_output: RunOutput, run_context: RunContext) -> None:
        gated.end(run_output, gated.run(run_context.run_id))

    for name in INVOCATIONS:
        setattr(agent.model, name, gated.asking(getattr(agent.model, name)))
    agent.tool_hooks = [loopwatch_tool, *(agent.tool_hooks or [])]
    agent.post_hooks = [loopwatch_end, *(agent.post_hooks or [])]


class _Gated:
    """The runs of an agent."""

    def __init__(self, agent: Agent, gate: Gate) -> None:
        self.agent = agent
        self.gate = gate

    def run(self, key: str) -> GatedRun:
        """The run of a run's id."""
        return self.gate.run(key, self.agent.name)

    def asking(self, invoke: Callable[..., Any]) -> Callable[..., Any]:
        """A model's method, told to the run; agents may share a model, so it is told only of this one's."""

        def asks(*args: Any, run_response: Any = None, **kwargs: Any) -> Any:
            if isinstance(run_response, RunOutput) and run_response.agent_id == self.agent.id and run_response.run_id:
                self.run(run_response.run_id).before_model()
            return invoke(*args, run_response=run_response, **kwargs)

        return asks

    def call(self, tool: str, execute: Callable[..., Any], arguments: dict[str, Any], run: GatedRun) -> Any:
        """The answer to a call; awaitable where the tool's own is."""
        passing = run.before(tool, arguments)
        if passing.halted:
            raise StopAgentRun(passing.message)
        if passing.refused:
            return passing.message
        try:
            result = execute(**arguments)
        except Exception as error:
            run.after(passing, error=error)
            raise
        return _awaited(run, passing, result) if isawaitable(result) else _answered(run, passing, result)

    def end(self, output: RunOutput, run: GatedRun) -> None:
        """The run came to its end; one that was stopped at a call has no answer of its model."""
        if run.halted and output.messages and output.messages[-1].role != "assistant":
            output.content = run.farewell
        run.end()


async def _awaited(run: GatedRun, passing: Passing, result: Awaitable[Any]) -> Any:
    try:
        answer = await result
    except Exception as error:
        run.after(passing, error=error)
        raise
    return _answered(run, passing, answer)


def _answered(run: GatedRun, passing: Passing, result: Any) -> Any:
    """The answer with a note where there is one; media stay with it."""
    if isinstance(result, Iterator) or isasyncgen(result):
        return result
    if not isinstance(result, ToolResult):
        return run.answer(passing, result)
    note = run.after(passing, result.content)
    return result if note is None else result.model_copy(update={"content": notes.added(result.content, note)})
