"""Pydantic AI: a capability of an agent.

``wrap_tool_execute`` stands in the way of each tool, ``before_model_request`` tells the responses apart and ends a
halted run, ``wrap_run`` sees the run end, however it ends. A halted run ends cleanly, with the advice as its output;
where the agent's output is no text, :class:`~otel_loopwatch.LoopHalted` is raised instead. Until the model would be
asked again, the tools of a halted run are refused. What it cannot do: tools that the provider runs itself pass no hook.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import (
    AgentRunResult,
    ApprovalRequired,
    CallDeferred,
    ModelResponse,
    RunContext,
    SkipModelRequest,
    SkipToolExecution,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolReturn,
)
from pydantic_ai.capabilities import AbstractCapability, ValidatedToolArgs, WrapRunHandler, WrapToolExecuteHandler
from pydantic_ai.models import ModelRequestContext

from otel_loopwatch import notes
from otel_loopwatch.control.gate import Gate, GatedRun

NO_FAILURE = (ApprovalRequired, CallDeferred, SkipToolExecution)
"""What tools and hooks raise to have a call answered elsewhere or later."""
PLAIN = ("text", "tool")
"""Output modes in which text is no JSON."""


@dataclass
class LoopwatchCapability(AbstractCapability[Any]):  # type: ignore[misc]
    """Puts ``gate`` in the way of an agent's tools."""

    gate: Gate

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        """The run, from its start to its end."""
        try:
            return await handler()
        finally:
            self._run(ctx).end()

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The tools of the response to come are siblings; a halted run ends here."""
        run = self._run(ctx)
        run.before_model()
        if run.halted:
            asked = request_context.model_request_parameters
            if not asked.allow_text_output or asked.output_mode not in PLAIN:
                run.raise_if_halted()
            raise SkipModelRequest(ModelResponse(parts=[TextPart(run.farewell)]))
        return request_context

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Execute the call, or answer in its place."""
        run = self._run(ctx)
        passing = run.before(call.tool_name, call.args, call.tool_call_id)
        if passing.refused:
            raise SkipToolExecution(passing.message)
        try:
            result = await handler(args)
        except NO_FAILURE:
            raise
        except Exception as error:
            run.after(passing, error=error)
            raise
        note = run.after(passing, result.return_value if isinstance(result, ToolReturn) else result)
        return result if note is None else _noted(result, note)

    def _run(self, ctx: RunContext[Any]) -> GatedRun:
        agent = ctx.agent.name if ctx.agent is not None else None
        return self.gate.run(f"{ctx.run_id}", agent)


def _noted(result: Any, note: str) -> Any:
    """The result and a note; what is no text stays what it is, in a list."""
    if isinstance(result, ToolReturn):
        return replace(result, return_value=_noted(result.return_value, note))
    return notes.added(result, note) if isinstance(result, str) else [result, note]
