"""Strands Agents: a hook provider that puts a gate into the way of an agent's tools.

``BeforeToolCallEvent.cancel_tool`` refuses a call, ``AfterToolCallEvent.result`` takes a note, and
``BeforeModelCallEvent.cancel`` ends a halted run cleanly: its last words are the advice, its stop reason is
``end_turn``. Sync and async agents and streams share these hooks.

A refused call is an error result to Strands. Not seen: calls made by the application (``agent.tool.search()``), and
what a tool that went on in the background brought after its run had ended. A run that waits for a person (an interrupt)
ends there; its continuation is a run of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from strands.hooks import (
    AfterInvocationEvent,
    AfterToolCallEvent,
    BeforeInvocationEvent,
    BeforeModelCallEvent,
    BeforeToolCallEvent,
    HookRegistry,
)

from otel_loopwatch.control.gate import Gate, GatedRun, Passing


@dataclass(frozen=True, slots=True)
class _Invocation:
    """A run, and its calls that are under way, by their ids."""

    run: GatedRun
    calls: dict[str, Passing] = field(default_factory=dict)


class LoopwatchHooks:
    """For ``Agent(hooks=[LoopwatchHooks(gate)])``; one may serve any number of agents. Raises nothing."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self._invocations: dict[tuple[int, int], _Invocation] = {}

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        """Called by Strands."""
        registry.add_callback(BeforeInvocationEvent, self._begins)
        registry.add_callback(BeforeModelCallEvent, self._asks)
        registry.add_callback(BeforeToolCallEvent, self._before)
        registry.add_callback(AfterToolCallEvent, self._after)
        registry.add_callback(AfterInvocationEvent, self._ended)

    def _begins(self, event: BeforeInvocationEvent) -> None:
        run = self.gate.run(f"strands-{uuid4().hex}", event.agent.name)
        self._invocations[_key(event)] = _Invocation(run)

    def _asks(self, event: BeforeModelCallEvent) -> None:
        invocation = self._invocations.get(_key(event))
        if invocation is not None and invocation.run.before_model() is not None:
            event.cancel = invocation.run.farewell

    def _before(self, event: BeforeToolCallEvent) -> None:
        invocation = self._invocations.get(_key(event))
        if invocation is None:
            return
        use = event.tool_use
        passing = invocation.calls[use["toolUseId"]] = invocation.run.before(
            use["name"], use["input"], use["toolUseId"]
        )
        if passing.refused:
            event.cancel_tool = passing.message

    def _after(self, event: AfterToolCallEvent) -> None:
        invocation = self._invocations.get(_key(event))
        passing = invocation.calls.pop(event.tool_use["toolUseId"], None) if invocation is not None else None
        if invocation is None or passing is None or event.cancel_message is not None:
            return
        content = event.result["content"]
        failed = event.result["status"] == "error"
        error = event.exception or (_said(content) if failed else None)
        note = invocation.run.after(passing, None if failed else _said(content), error)
        if note is not None:
            event.result = {**event.result, "content": [*content, {"text": note}]}

    def _ended(self, event: AfterInvocationEvent) -> None:
        invocation = self._invocations.pop(_key(event), None)
        if invocation is not None:
            invocation.run.end()


def _key(event: Any) -> tuple[int, int]:
    """One dictionary accompanies an invocation from its beginning to its end; agents of a graph share one."""
    return id(event.agent), id(event.invocation_state)


def _said(content: list[dict[str, Any]]) -> object:
    """What a tool answered: its text, where it is nothing but one text."""
    return content[0]["text"] if len(content) == 1 and "text" in content[0] else content
