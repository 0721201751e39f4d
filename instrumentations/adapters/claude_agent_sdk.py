"""Claude Agent SDK. Claude Code itself needs its service: its part, calling the hooks, is played here.

The inputs are the SDK's own types, and every output is checked against them. There are no spans: Claude Code writes
them in a process of its own.
"""

from __future__ import annotations

from typing import Any

from brakes import QUESTION, Call, Task, main
from claude_agent_sdk import ClaudeAgentOptions
from claude_agent_sdk.types import (
    BaseHookInput,
    HookEvent,
    HookInput,
    PostToolUseHookInput,
    PostToolUseHookSpecificOutput,
    PreToolUseHookInput,
    PreToolUseHookSpecificOutput,
    StopHookInput,
    SyncHookJSONOutput,
    UserPromptSubmitHookInput,
)

from otel_loopwatch.control.frameworks.claude_agent_sdk import loopwatch_hooks

SPECIFIC: dict[str, Any] = {
    "PreToolUse": PreToolUseHookSpecificOutput,
    "PostToolUse": PostToolUseHookSpecificOutput,
}
"""What the SDK lets hooks of an event say about it."""


class Stopped(Exception):
    """A hook said that Claude should not go on; the message is its reason."""


class ClaudeCode:
    """What Claude Code does around its tools, as far as hooks notice."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.options = ClaudeAgentOptions(hooks=loopwatch_hooks(task.gate))
        self.base = BaseHookInput(session_id=task.model.name, transcript_path="", cwd="")
        self.context: list[Any] = [QUESTION]
        """What the model is shown."""

    async def answer(self) -> str:
        """Ask the model and run its tools until it answers, or until a hook stops it."""
        prompt = UserPromptSubmitHookInput(**self.base, hook_event_name="UserPromptSubmit", prompt=QUESTION)
        await self._hook("UserPromptSubmit", prompt)
        try:
            while (reply := self.task.model.reply(self.context)).calls:
                await self._batch(dict(reply.calls))
        except Stopped as stopped:
            return str(stopped)
        await self._hook("Stop", StopHookInput(**self.base, hook_event_name="Stop", stop_hook_active=False))
        return str(reply.answer)

    async def _batch(self, calls: dict[str, Call]) -> None:
        """The calls of one response: all begin before the first has ended."""
        allowed = [id_ for id_, call in calls.items() if await self._may_run(id_, call)]
        for id_ in allowed:
            await self._run(id_, calls[id_])

    async def _may_run(self, id_: str, call: Call) -> bool:
        event = PreToolUseHookInput(
            **self.base,
            hook_event_name="PreToolUse",
            tool_name=call.tool,
            tool_input=dict(call.arguments),
            tool_use_id=id_,
        )
        told = await self._hook("PreToolUse", event)
        if told.get("permissionDecision") == "deny":
            self.context.append(told["permissionDecisionReason"])
        return "permissionDecision" not in told

    async def _run(self, id_: str, call: Call) -> None:
        result = self.task.tools[call.tool](**call.arguments)
        self.context.append(result)
        event = PostToolUseHookInput(
            **self.base,
            hook_event_name="PostToolUse",
            tool_name=call.tool,
            tool_input=dict(call.arguments),
            tool_response=[{"type": "text", "text": result}],
            tool_use_id=id_,
        )
        self.context.append((await self._hook("PostToolUse", event)).get("additionalContext"))

    async def _hook(self, name: HookEvent, event: HookInput) -> dict[str, Any]:
        """What the hooks of an event say about it."""
        told: dict[str, Any] = {}
        for matcher in (self.options.hooks or {})[name]:
            for hook in matcher.hooks:
                output = await hook(event, event.get("tool_use_id"), {"signal": None})
                check(name, output)
                if output.get("continue_") is False:
                    raise Stopped(output["stopReason"])
                told.update(output.get("hookSpecificOutput", {}))
        return told


def check(name: HookEvent, output: Any) -> None:
    """The output has only fields that the SDK knows for hooks of this event."""
    assert output.keys() <= SyncHookJSONOutput.__annotations__.keys()
    told = output.get("hookSpecificOutput")
    assert told is None or told["hookEventName"] == name
    assert told is None or told.keys() <= SPECIFIC[name].__annotations__.keys()


async def play(task: Task) -> str:
    """Run the agent once."""
    return await ClaudeCode(task).answer()


if __name__ == "__main__":
    main(play)
