"""Claude Agent SDK: hooks that put a gate into the way of the tools Claude Code runs, its own and yours.

``PreToolUse`` denies a call with the note as the reason, ``PostToolUse`` and ``PostToolUseFailure`` add a note as
context, and a halted run is ended by ``continue_: False`` with the advice as ``stopReason``.

Claude Code tells nobody of its requests to the model: calls begun before the first of them is answered are taken for
one response's. Calls of one response that it runs one after the other count as attempts of their own. The main agent's
run is one prompt; a sub-agent's is its life.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from claude_agent_sdk import HookContext, HookMatcher
from claude_agent_sdk.types import HookEvent, SyncHookJSONOutput

from otel_loopwatch.control.gate import Gate, GatedRun, Passing


@dataclass(slots=True)
class _Work:
    """What an agent is at: its run, and its calls under way by their ids."""

    run: GatedRun
    calls: dict[str, Passing] = field(default_factory=dict)
    answered: bool = True
    """A call has ended since the last one began: the next one is of a new response."""


def loopwatch_hooks(gate: Gate) -> dict[HookEvent, list[HookMatcher]]:
    """For ``ClaudeAgentOptions(hooks=loopwatch_hooks(gate))``; they serve any number of clients. They raise nothing."""
    hooks = _Hooks(gate)
    return {
        "UserPromptSubmit": [HookMatcher(hooks=[hooks.ended])],
        "PreToolUse": [HookMatcher(hooks=[hooks.before])],
        "PostToolUse": [HookMatcher(hooks=[hooks.after])],
        "PostToolUseFailure": [HookMatcher(hooks=[hooks.failed])],
        "Stop": [HookMatcher(hooks=[hooks.ended])],
        "SubagentStop": [HookMatcher(hooks=[hooks.ended])],
    }


class _Hooks:
    """The callbacks. ``event`` is what Claude Code sends, ``tool_use_id`` the id of the call it is about."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self._work: OrderedDict[str, _Work] = OrderedDict()

    async def before(self, event: Any, tool_use_id: str | None, context: HookContext) -> SyncHookJSONOutput:
        work = self._at(event)
        if work.answered:
            work.run.before_model()
            work.answered = False
        passing = work.run.before(event["tool_name"], event["tool_input"], event["tool_use_id"])
        if not passing.refused:
            work.calls[event["tool_use_id"]] = passing
            return {}
        denied = SyncHookJSONOutput(
            hookSpecificOutput={
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": passing.message,
            }
        )
        return SyncHookJSONOutput(**denied, **_stop(passing.message)) if passing.halted else denied

    async def after(self, event: Any, tool_use_id: str | None, context: HookContext) -> SyncHookJSONOutput:
        return self._ran(event, result=event["tool_response"])

    async def failed(self, event: Any, tool_use_id: str | None, context: HookContext) -> SyncHookJSONOutput:
        if event.get("is_interrupt"):
            return {}  # by a person
        return self._ran(event, error=event["error"])

    async def ended(self, event: Any, tool_use_id: str | None, context: HookContext) -> SyncHookJSONOutput:
        """Also before a prompt: an interrupted or halted run ends without a word."""
        work = self._work.pop(_key(event), None)
        if work is not None:
            work.run.end()
        return {}

    def _ran(self, event: Any, result: object = None, error: object = None) -> SyncHookJSONOutput:
        work = self._at(event)
        work.answered = True
        passing = work.calls.pop(event["tool_use_id"], None)
        if passing is None:
            return {}
        note = work.run.after(passing, result, error)
        if work.run.halted:
            return _stop(work.run.farewell)
        if note is None:
            return {}
        return {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], "additionalContext": note}}

    def _at(self, event: Mapping[str, Any]) -> _Work:
        key = _key(event)
        if key not in self._work:
            self._work[key] = _Work(self.gate.run(key, event.get("agent_type")))
        self._work.move_to_end(key)
        if len(self._work) > self.gate.options.settings.max_runs:
            self._work.popitem(last=False)
        return self._work[key]


def _key(event: Mapping[str, Any]) -> str:
    """A session has a main agent and sub-agents."""
    return f"claude-{event['session_id']}/{event.get('agent_id', '')}"


def _stop(reason: str) -> SyncHookJSONOutput:
    return {"continue_": False, "stopReason": reason}
