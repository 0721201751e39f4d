"""Google's Agent Development Kit: a plugin that puts a gate into the way of the tools of a runner's agents.

``before_tool_callback`` refuses a call by an answer of its own, ``after_tool_callback`` adds a note, and
``before_model_callback`` ends a halted run cleanly, with the advice as the model's last response.

Each agent of an invocation is a run of its own, so a halt ends the turn of the agent that looped: the one that asked it
reads the advice and goes on. Live (bidirectional) sessions do not ask the model call by call: a halt refuses every
call there, and ends nothing. The first plugin that answers in a callback is the last one ADK asks, also before the
agent's own callbacks.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools import BaseTool, ToolContext
from google.genai.types import Content, Part

from otel_loopwatch.canonical import text_of
from otel_loopwatch.control.gate import Gate, GatedRun, Passing
from otel_loopwatch.notes import added

RESULT = "result"
"""Key under which ADK gives the model an answer that is no dictionary."""


@dataclass(slots=True)
class _Call:
    """A call under way, and the note that waits for what a callback makes of its error."""

    passing: Passing
    note: str | None = None
    judged: bool = False


class LoopwatchPlugin(BasePlugin):  # type: ignore[misc]
    """For ``Runner(plugins=[LoopwatchPlugin(gate)])``. Raises nothing; a tool's exception goes on as it was."""

    def __init__(self, gate: Gate, name: str = "loopwatch") -> None:
        super().__init__(name=name)
        self.gate = gate
        self._runs: OrderedDict[str, set[str]] = OrderedDict()
        self._calls: WeakKeyDictionary[ToolContext, _Call] = WeakKeyDictionary()

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: object
    ) -> LlmResponse | None:
        """The last response of a halted run."""
        run = self._run(callback_context)
        if run.before_model() is None:
            return None
        return LlmResponse(content=Content(role="model", parts=[Part(text=run.farewell)]))

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """The note in the place of a refused call's answer."""
        passing = self._run(tool_context).before(tool.name, tool_args, tool_context.function_call_id)
        if passing.refused:
            return {RESULT: passing.message}
        self._calls[tool_context] = _Call(passing)
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        """The answer with a note, where there is one."""
        call = self._calls.pop(tool_context, None)
        if call is None:
            return None
        note = call.note if call.judged else self._run(tool_context).after(call.passing, _said(result))
        return None if note is None else {RESULT: added(text_of(_said(result)), note)}

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> None:
        """A cancelled call did not fail."""
        call = self._calls.get(tool_context)
        if call is not None and isinstance(error, Exception):
            call.judged, call.note = True, self._run(tool_context).after(call.passing, error=error)

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """The runs of an invocation end with it."""
        for key in self._runs.pop(invocation_context.invocation_id, ()):
            self.gate.run(key).end()

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """As they do where it failed."""
        await self.after_run_callback(invocation_context=invocation_context)

    def _run(self, context: CallbackContext) -> GatedRun:
        key = f"{context.invocation_id}/{context.branch or ''}/{context.agent_name}"
        self._runs.setdefault(context.invocation_id, set()).add(key)
        if len(self._runs) > self.gate.options.settings.max_runs:
            self._runs.popitem(last=False)  # ADK tells nobody of an invocation that was cancelled
        return self.gate.run(key, context.agent_name)


def _said(result: Any) -> Any:
    """What a tool answered, out of the dictionary ADK may have put around it."""
    return result[RESULT] if isinstance(result, dict) and result.keys() == {RESULT} else result
