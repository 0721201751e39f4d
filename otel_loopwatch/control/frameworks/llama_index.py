"""LlamaIndex: a ``FunctionAgent`` with a gate in the way of its tools.

LlamaIndex has no hook that could refuse a call; what it calls on its own agents is overridden: ``take_step`` before
each request to the model, ``_call_tool`` around each tool, ``_init_context`` and ``finalize`` at a run's start and end.
A halted run ends cleanly: in place of the model's next response stands the advice, without tool calls.

What it cannot do: an ``AgentWorkflow`` of several agents calls the tools itself, past these methods. A run that an
exception ended or that was cancelled is not counted as ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from llama_index.core.agent.workflow import AgentOutput, FunctionAgent
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import ChatMessage, TextBlock
from llama_index.core.tools import AsyncBaseTool, ToolOutput

from otel_loopwatch.control.gate import Gate, GatedRun

RUN = "loopwatch_run"
"""Where the context of a run keeps its key; a context that is used again gets a new one."""


class GatedFunctionAgent(FunctionAgent):  # type: ignore[misc]
    """A ``FunctionAgent`` behind ``gate``; the other arguments are its own."""

    _gate: Gate = PrivateAttr()

    def __init__(self, gate: Gate, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._gate = gate

    async def take_step(
        self, ctx: Any, llm_input: list[ChatMessage], tools: Sequence[AsyncBaseTool], memory: Any
    ) -> AgentOutput:
        """The model's response, or the last words of a halted run."""
        run = await self._run(ctx)
        if run.before_model() is None:
            return await super().take_step(ctx, llm_input, tools, memory)
        farewell = ChatMessage(role="assistant", content=run.farewell)
        scratchpad = await ctx.store.get(self.scratchpad_key, default=[])
        await ctx.store.set(self.scratchpad_key, [*scratchpad, farewell])
        return AgentOutput(response=farewell, tool_calls=[], current_agent_name=self.name)

    async def finalize(self, ctx: Any, output: AgentOutput, memory: Any) -> AgentOutput:
        """The run came to its end."""
        (await self._run(ctx)).end()
        return await super().finalize(ctx, output, memory)

    async def _init_context(self, ctx: Any, ev: Any) -> None:
        await super()._init_context(ctx, ev)
        await ctx.store.set(RUN, uuid4().hex)

    async def _call_tool(self, ctx: Any, tool: AsyncBaseTool, tool_input: dict[str, Any]) -> ToolOutput:
        name = tool.metadata.get_name()
        run = await self._run(ctx)
        passing = run.before(name, tool_input)
        if passing.refused:
            return ToolOutput(
                content=passing.message, tool_name=name, raw_input=tool_input, raw_output=passing.message, is_error=True
            )
        output = await super()._call_tool(ctx, tool, tool_input)
        failed = output.is_error and (output.exception or output.content)
        note = run.after(passing, output.content, failed or None)
        return output if note is None else _noted(output, note)

    async def _run(self, ctx: Any) -> GatedRun:
        return self._gate.run(f"llama-index-{await ctx.store.get(RUN)}", self.name)


def _noted(output: ToolOutput, note: str) -> ToolOutput:
    """An output with a note as its last block; the raw one is kept as it was."""
    return output.model_copy(update={"blocks": [*output.blocks, TextBlock(text=note)]})
