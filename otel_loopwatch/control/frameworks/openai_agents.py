"""OpenAI Agents: ``guarded(agent, gate)`` is the same agent with a gate in the way of its function tools.

A tool input guardrail refuses a call, a tool output guardrail adds the note, the agent's hooks tell the responses apart
and see its end. A halted run ends cleanly after the tools of the response, with the advice as its final output; where
the agent has a ``tool_use_behavior`` or an output type of its own, :class:`~otel_loopwatch.LoopHalted` is raised before
the model is asked again. What it cannot do: hosted tools, tools of MCP servers and handoffs pass no guardrail, the
agents of handoffs need ``guarded`` themselves, and of a tool's error only the text is known that the SDK makes of it.
A tool that is to raise (``failure_error_function=None``) ends the run before its error can be told.
"""

from __future__ import annotations

from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from typing import Any
from uuid import uuid4
from weakref import finalize

from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    RunContextWrapper,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    ToolOutputGuardrail,
    ToolOutputGuardrailData,
    ToolsToFinalOutputResult,
    Usage,
)

from otel_loopwatch import notes
from otel_loopwatch.canonical import text_of
from otel_loopwatch.control.gate import Gate, GatedRun, Passing

_call: ContextVar[Passing | None] = ContextVar("loopwatch_call", default=None)
"""The call that is being executed: between its guardrails, and for the agents that it runs."""
_keys: dict[int, str] = {}
"""Keys of the runs at work, by their usage: the one object that every hook of a run is shown."""


def guarded(agent: Agent[Any], gate: Gate) -> Agent[Any]:
    """A copy of ``agent`` whose function tools pass ``gate``. Agents used as its tools are runs of their own."""
    watched = _Gated(gate)
    clean = agent.tool_use_behavior == "run_llm_again" and agent.output_type in (None, str)
    return agent.clone(
        tools=[watched.tool(tool) if isinstance(tool, FunctionTool) else tool for tool in agent.tools],
        hooks=_Hooks(watched, agent.hooks or AgentHooks(), clean),
        **({"tool_use_behavior": watched.after_tools(agent.name)} if clean else {}),
    )


@dataclass(frozen=True, slots=True)
class _Gated:
    """What stands around the tools of one agent."""

    gate: Gate

    def run(self, context: RunContextWrapper[Any], agent: str) -> GatedRun:
        """The run of an agent; within another agent's call it belongs to that call."""
        outer = _call.get()
        around = _key(context.usage) if outer is None else f"{outer.call.run}/{outer.call.call_id}"
        return self.gate.run(f"{around}/{agent}", agent)

    def tool(self, tool: FunctionTool) -> FunctionTool:
        """The tool between two guardrails: inside of those it has, so that what they refuse is no call."""
        inside = copy(tool)
        inside.tool_input_guardrails = [*(tool.tool_input_guardrails or ()), ToolInputGuardrail(self.before)]
        inside.tool_output_guardrails = [*(tool.tool_output_guardrails or ()), ToolOutputGuardrail(self.after)]
        return inside

    async def before(self, data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        """Let the call pass, or answer in its place."""
        call = data.context
        run = self.run(call, data.agent.name)
        passing = run.before(call.tool_name, call.tool_arguments, call.tool_call_id)
        if passing.refused:
            return ToolGuardrailFunctionOutput.reject_content(passing.message)
        _call.set(passing)
        return ToolGuardrailFunctionOutput.allow()

    async def after(self, data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        """Add the note, where there is one."""
        passing = _call.get()
        if passing is None:
            return ToolGuardrailFunctionOutput.allow()
        note = self.gate.run(passing.call.run, data.agent.name).after(passing, data.output)
        if note is None:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(notes.added(text_of(data.output), note))

    def after_tools(self, agent: str) -> Any:
        """A tool use behavior that ends a halted run, and asks the model again otherwise."""

        def behavior(context: RunContextWrapper[Any], results: list[Any]) -> ToolsToFinalOutputResult:
            run = self.run(context, agent)
            return ToolsToFinalOutputResult(is_final_output=run.halted, final_output=run.farewell or None)

        return behavior


class _Hooks(AgentHooks[Any]):  # type: ignore[misc]
    """The hooks of an agent, with the gate's before them."""

    def __init__(self, watched: _Gated, own: AgentHooks[Any], clean: bool) -> None:
        self._watched = watched
        self._own = own
        self._clean = clean
        for name in ("on_start", "on_handoff", "on_llm_end", "on_tool_start", "on_tool_end"):
            setattr(self, name, getattr(own, name))

    async def on_llm_start(self, context: RunContextWrapper[Any], agent: Agent[Any], *asked: Any) -> None:
        """The tools of the response to come are siblings."""
        run = self._watched.run(context, agent.name)
        run.before_model()
        if run.halted and not self._clean:
            run.end()
            run.raise_if_halted()
        await self._own.on_llm_start(context, agent, *asked)

    async def on_end(self, context: RunContextWrapper[Any], agent: Agent[Any], output: Any) -> None:
        """The agent has its final output."""
        self._watched.run(context, agent.name).end()
        await self._own.on_end(context, agent, output)


def _key(usage: Usage) -> str:
    """The key of a run, forgotten with its usage."""
    if id(usage) not in _keys:
        _keys[id(usage)] = uuid4().hex
        finalize(usage, _keys.pop, id(usage), None)
    return _keys[id(usage)]
