"""Anthropic's ``tool_runner``: one :class:`GatedRunner` for each run, around its tools and its messages.

The tools are copies that pass the gate, ``messages`` tells the responses apart and sees the run end. A halted run ends
cleanly after the tools of the response: the runner is closed, and a last message carries the advice. A streaming runner
cannot be given such a message: there :class:`~otel_loopwatch.LoopHalted` is raised. What it cannot do: toolsets and
tools that the server runs pass as they are, and calls have no ids.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from copy import copy
from inspect import iscoroutinefunction
from typing import Any
from uuid import uuid4

from anthropic.lib.tools import (
    BetaAsyncBuiltinFunctionTool,
    BetaAsyncFunctionTool,
    BetaBuiltinFunctionTool,
    BetaFunctionTool,
)
from anthropic.types.beta import BetaMessage, BetaTextBlock

from otel_loopwatch import notes
from otel_loopwatch.control.gate import Gate, Passing

FUNCTION_TOOLS = (BetaFunctionTool, BetaAsyncFunctionTool, BetaBuiltinFunctionTool, BetaAsyncBuiltinFunctionTool)


class GatedRunner:
    """One run of a tool runner: give the runner :meth:`tools`, and read :meth:`messages` instead of the runner."""

    def __init__(self, gate: Gate, agent: str | None = None) -> None:
        self.run = gate.run(uuid4().hex, agent)
        self._runner: Any = None

    def tools(self, tools: Iterable[Any]) -> list[Any]:
        """The tools, those that are functions with the gate in their way."""
        return [self._gated(tool) if isinstance(tool, FUNCTION_TOOLS) else tool for tool in tools]

    def messages(self, runner: Any) -> Iterator[Any]:
        """What the runner gives, and the last words of a halted run.

        :raises LoopHalted: where a streaming run was halted.
        """
        self._runner, item = runner, None
        try:
            for item in runner:
                self.run.before_model()
                yield item
            if self.run.halted:
                yield self._farewell(item)
        finally:
            self.run.end()

    async def messages_async(self, runner: Any) -> AsyncIterator[Any]:
        """The same of an asynchronous runner."""
        self._runner, item = runner, None
        try:
            async for item in runner:
                self.run.before_model()
                yield item
            if self.run.halted:
                yield self._farewell(item)
        finally:
            self.run.end()

    def _gated(self, tool: Any) -> Any:
        inside = copy(tool)
        inside.call = self._async(tool) if iscoroutinefunction(tool.call) else self._sync(tool)
        return inside

    def _sync(self, tool: Any) -> Callable[[object], Any]:
        def call(arguments: object) -> Any:
            passing = self.run.before(tool.name, arguments)
            try:
                return passing.message if passing.refused else self._told(passing, tool.call(arguments))
            except Exception as error:
                self.run.after(passing, error=error)
                raise
            finally:
                if self.run.halted and self._runner is not None:
                    self._runner.close()

        return call

    def _async(self, tool: Any) -> Callable[[object], Awaitable[Any]]:
        async def call(arguments: object) -> Any:
            passing = self.run.before(tool.name, arguments)
            try:
                return passing.message if passing.refused else self._told(passing, await tool.call(arguments))
            except Exception as error:
                self.run.after(passing, error=error)
                raise
            finally:
                if self.run.halted and self._runner is not None:
                    await self._runner.close()

        return call

    def _told(self, passing: Passing, result: Any) -> Any:
        """The result, with a note at its end where there is one."""
        note = self.run.after(passing, result)
        if note is None:
            return result
        return notes.added(result, note) if isinstance(result, str) else [*result, {"type": "text", "text": note}]

    def _farewell(self, last: Any) -> Any:
        if not isinstance(last, BetaMessage):
            self.run.raise_if_halted()
        words = BetaTextBlock(type="text", text=self.run.farewell)
        return last.model_copy(update={"content": [words], "stop_reason": "end_turn"})
