"""smolagents: puts a gate into the way of the tools of one agent.

Of a ``ToolCallingAgent`` it stands around ``execute_tool_call`` (tools and managed agents), of a ``CodeAgent`` around
the functions that its local Python executor is given. smolagents has no hook that could refuse a call, so these are set
on the agent itself. A halted run ends cleanly after its step, with the advice as its final answer.

What it cannot do: a ``CodeAgent`` with a remote executor runs its tools out of reach, and the code of a step runs on
when a call in it is refused (it reads the note as the tool's result, and each further call is refused too).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any
from uuid import uuid4

from smolagents import ActionStep, CodeAgent, FinalAnswerStep, MultiStepAgent, ToolCallingAgent
from smolagents.local_python_executor import LocalPythonExecutor

from otel_loopwatch.control.gate import Gate, GatedRun

FINAL_ANSWER = "final_answer"
"""The tool by which an agent ends; it always passes."""


def attach(agent: MultiStepAgent, gate: Gate) -> None:
    """Put ``gate`` into the way of the tools of ``agent``, once, before its first run; managed agents have their own.

    :raises ValueError: for an agent whose tools cannot be reached.
    """
    gated = _Gated(agent, gate)
    if isinstance(agent, ToolCallingAgent):
        agent.execute_tool_call = gated.executing(agent.execute_tool_call)
    elif isinstance(agent, CodeAgent) and isinstance(agent.python_executor, LocalPythonExecutor):
        agent.python_executor.send_tools = gated.sending(agent.python_executor.send_tools)
    else:
        raise ValueError(
            f"agent is a {type(agent).__name__}; it must be a ToolCallingAgent, or a CodeAgent that runs code locally"
        )
    agent._run_stream = gated.running(agent._run_stream)


class _Gated:
    """An agent and its run of now; smolagents keeps the state of a run in the agent, so there is one at a time."""

    def __init__(self, agent: MultiStepAgent, gate: Gate) -> None:
        self.agent = agent
        self.gate = gate
        self.run: GatedRun | None = None

    def running(self, stream: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        """The steps of a run, up to the one that halts it."""

        def run_stream(*args: Any, **kwargs: Any) -> Iterator[Any]:
            run = self.run = self.gate.run(f"smolagents-{uuid4().hex}", self.agent.name)
            run.before_model()
            try:
                with closing(stream(*args, **kwargs)) as steps:  # type: ignore[type-var]
                    yield from _until_halted(run, steps)
            finally:
                run.end()

        return run_stream

    def executing(self, execute: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
        """``execute_tool_call`` behind the gate."""

        def execute_tool_call(tool_name: str, arguments: Any) -> Any:
            return self._pass(tool_name, arguments, lambda: execute(tool_name, arguments))

        return execute_tool_call

    def sending(self, send: Callable[[Mapping[str, Any]], None]) -> Callable[[Mapping[str, Any]], None]:
        """``send_tools``, with each tool behind the gate."""

        def send_tools(tools: Mapping[str, Any]) -> None:
            send({name: self._function(name, tool) for name, tool in tools.items()})

        return send_tools

    def _function(self, name: str, tool: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            arguments = {**dict(zip(tool.inputs, args, strict=False)), **kwargs}
            return self._pass(name, arguments, lambda: tool(*args, **kwargs))

        return call

    def _pass(self, name: str, arguments: Any, call: Callable[[], Any]) -> Any:
        run = self.run
        if run is None or name == FINAL_ANSWER:
            return call()
        passing = run.before(name, arguments)
        if passing.refused:
            return passing.message
        try:
            result = call()
        except Exception as error:
            run.after(passing, error=error.__cause__ or error)
            raise
        return run.answer(passing, result)


def _until_halted(run: GatedRun, steps: Iterator[Any]) -> Iterator[Any]:
    for step in steps:
        yield step
        if not isinstance(step, ActionStep) or step.is_final_answer:
            continue
        if run.before_model() is not None:
            yield FinalAnswerStep(run.farewell)
            return
