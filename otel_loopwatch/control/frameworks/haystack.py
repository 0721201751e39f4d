"""Haystack: hooks that put a gate into the way of the tools of an ``Agent``.

``before_tool`` answers refused calls itself and leaves the others pending, ``after_tool`` adds notes to the answers,
``before_llm`` ends a halted run by ``stop_run``, and ``after_run`` appends the advice as its last message. Sync and
async runs share these hooks.

What they cannot do: a run that an exception ends has no ``after_run``; it is not counted as ended, and forgotten when
it makes room for newer ones. A streaming callback is shown the tools' own answers, and neither notes nor last words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from haystack.components.agents.state import State, replace_values
from haystack.dataclasses import ChatMessage, TextContent, ToolCall
from haystack.hooks import FunctionHook

from otel_loopwatch import notes
from otel_loopwatch.control.gate import Gate, GatedRun, Passing

EXIT_REASON = "loop"
"""``exit_reason`` of a halted run."""


def hooks(gate: Gate, agent: str | None = None) -> dict[str, list[FunctionHook]]:
    """For ``Agent(hooks=hooks(gate))``, or to be merged with others: in ``before_tool``, after those that change calls.

    ``agent`` names the agent, which Haystack does not. One result may serve any number of agents and runs. The hooks
    raise nothing; an agent that has them cannot be serialized.
    """
    gated = _Gated(gate, agent)
    points: dict[str, Callable[[State], None]] = {
        "before_llm": gated.asks,
        "before_tool": gated.before,
        "after_tool": gated.after,
        "after_run": gated.ended,
    }
    return {point: [FunctionHook(function)] for point, function in points.items()}


@dataclass(frozen=True, slots=True)
class _Run:
    """A run, and its calls that are under way, by their identity."""

    gated: GatedRun
    calls: dict[int, Passing] = field(default_factory=dict)


class _Gated:
    """The runs of now; each has a ``State`` of its own, and goes with it."""

    def __init__(self, gate: Gate, agent: str | None) -> None:
        self.gate = gate
        self.agent = agent
        self._runs: WeakKeyDictionary[State, _Run] = WeakKeyDictionary()

    def asks(self, state: State) -> None:
        """Before each request to the model, and so at the beginning of a run."""
        run = self._runs.get(state)
        if run is None:
            run = self._runs[state] = _Run(self.gate.run(f"haystack-{uuid4().hex}", self.agent))
        if run.gated.before_model() is not None:
            state.set("stop_run", EXIT_REASON)

    def before(self, state: State) -> None:
        """Ask the gate about each pending call; the refused ones get their answers, the others stay pending."""
        run, messages = self._runs.get(state), state.data["messages"]
        if run is None or not messages:
            return
        calls = messages[-1].tool_calls
        passings = [run.gated.before(call.tool_name, call.arguments, call.id) for call in calls]
        run.calls.clear()
        run.calls.update((id(call), passing) for call, passing in zip(calls, passings, strict=True))
        if any(passing.refused for passing in passings):
            state.set("messages", [*messages[:-1], *_split(messages[-1], passings)], handler_override=replace_values)

    def after(self, state: State) -> None:
        """Tell the gate what the tools answered, and add its notes."""
        run = self._runs.get(state)
        if run is not None:
            noted = [_noted(run, message) for message in state.data["messages"]]
            state.set("messages", noted, handler_override=replace_values)
            run.calls.clear()

    def ended(self, state: State) -> None:
        """The last words of a halted run are the advice."""
        run = self._runs.pop(state, None)
        if run is None:
            return
        if run.gated.halted:
            state.set("messages", [ChatMessage.from_assistant(run.gated.farewell)])
        run.gated.end()


def _split(message: ChatMessage, passings: list[Passing]) -> list[ChatMessage]:
    """The refused calls with their answers, then the calls that remain; Haystack executes those of the last message."""
    decided = list(zip(message.tool_calls, passings, strict=True))
    refused = [(call, passing) for call, passing in decided if passing.refused]
    remaining = [call for call, passing in decided if not passing.refused]
    answers = [ChatMessage.from_tool(passing.message, call, error=True) for call, passing in refused]
    asked = [_with_calls(message, [call for call, _ in refused]), *answers]
    return [*asked, _with_calls(message, remaining)] if remaining else asked


def _with_calls(message: ChatMessage, calls: list[ToolCall]) -> ChatMessage:
    return ChatMessage.from_assistant(
        message.text, message.meta, message.name, tool_calls=calls, reasoning=message.reasoning
    )


def _noted(run: _Run, message: ChatMessage) -> ChatMessage:
    """A message as the model is to see it."""
    answer = message.tool_call_result
    passing = run.calls.get(id(answer.origin)) if answer is not None else None
    if passing is None or passing.refused:
        return message
    said = _plain(answer.result)
    note = run.gated.after(passing, error=said) if answer.error else run.gated.after(passing, said)
    if note is None:
        return message
    return ChatMessage.from_tool(_added(answer.result, note), answer.origin, answer.error, message.meta)


def _plain(result: Any) -> object:
    """A tool's answer as values."""
    return result if isinstance(result, str) else [part.to_dict() for part in result]


def _added(result: Any, note: str) -> Any:
    return notes.added(result, note) if isinstance(result, str) else [*result, TextContent(note)]
