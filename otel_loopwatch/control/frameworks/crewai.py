"""CrewAI: puts a gate into the way of all tools that crews call within a ``with`` block.

Hooks of the block's scope do it: before a tool call, which refuses; after it, which says why or adds a note; and before
a request to the model, which ends a halted run by ``HookAborted``, with the advice as its reason. CrewAI lets this one
exception through to who called ``kickoff``; it has no clean end from outside.

What it cannot do: a tool's exception reaches the hooks only as text. Inside another ``scoped_hooks`` block of the
application's own these hooks are not seen, nor in threads that were started without the context.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from crewai.hooks.dispatch import HookAborted, InterceptionPoint, scoped_hooks
from crewai.hooks.llm_hooks import LLMCallHookContext
from crewai.hooks.tool_hooks import ToolCallHookContext

from otel_loopwatch.control.gate import Gate, GatedRun, Passing
from otel_loopwatch.notes import added

FAILED = "Error executing tool:"
"""How CrewAI's text for the model begins where a tool raised."""


@contextmanager
def gated(gate: Gate) -> Iterator[None]:
    """Crews that are started in this block have ``gate`` in the way of their tools.

    :raises HookAborted: out of ``kickoff``, where the gate halted a run.
    """
    hooks = _Hooks(gate)
    scope = {
        InterceptionPoint.PRE_MODEL_CALL: [hooks.before_model],
        InterceptionPoint.PRE_TOOL_CALL: [hooks.before_tool],
        InterceptionPoint.POST_TOOL_CALL: [hooks.after_tool],
    }
    with scoped_hooks(scope):
        try:
            yield
        finally:
            hooks.end()


class _Hooks:
    """The hooks of one block. A run is an agent's work on a task; both maps are bounded like the gate's own."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self._runs: OrderedDict[tuple[str, str], GatedRun] = OrderedDict()
        self._calls: OrderedDict[int, Passing] = OrderedDict()

    def before_model(self, context: LLMCallHookContext) -> None:
        """An executor at its beginning is a new run; requests outside of executors are nobody's."""
        if context.executor is None:
            return
        if context.iterations == 0:
            self._forget(context)
        run = self._run(context)
        if run.before_model() is not None:
            raise HookAborted(run.farewell, "loopwatch")

    def before_tool(self, context: ToolCallHookContext) -> bool | None:
        """False refuses the call; CrewAI asks :meth:`after_tool` all the same."""
        passing = self._run(context).before(context.tool_name, dict(context.tool_input))
        self._calls[id(context.tool_input)] = passing  # the one thing both hooks of a call are given
        self._bound(self._calls)
        return False if passing.refused else None

    def after_tool(self, context: ToolCallHookContext) -> str | None:
        """What the model is told instead; None: what the tool said."""
        passing = self._calls.pop(id(context.tool_input), None)
        if passing is None or passing.refused:
            return passing.message if passing else None
        said = context.tool_result or ""
        error = said if said.startswith(FAILED) else None
        note = self._run(context).after(passing, None if error else said, error)
        return None if note is None else added(said, note)

    def end(self) -> None:
        """The block was left."""
        while self._runs:
            self._runs.popitem()[1].end()

    def _run(self, context: Any) -> GatedRun:
        run = self._runs.get(_worker(context))
        if run is None:
            agent = getattr(context.agent, "role", None)
            run = self._runs[_worker(context)] = self.gate.run(f"crewai-{uuid4().hex}", agent)
            self._bound(self._runs)
        return run

    def _forget(self, context: Any) -> None:
        run = self._runs.pop(_worker(context), None)
        if run is not None:
            run.end()

    def _bound(self, kept: OrderedDict[Any, Any]) -> None:
        if len(kept) > self.gate.options.settings.max_runs:
            kept.popitem(last=False)


def _worker(context: Any) -> tuple[str, str]:
    return str(getattr(context.task, "id", "")), str(getattr(context.agent, "id", ""))
