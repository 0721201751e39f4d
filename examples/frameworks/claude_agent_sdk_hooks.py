"""Hooks for the Claude Agent SDK, and what they say to an agent that asks the same again and again.

Claude Code itself needs its service. So that this runs offline, ``main`` calls the hooks as Claude Code would; your own
program gives the options to ``query`` or ``ClaudeSDKClient``: pip install otel-loopwatch "claude-agent-sdk==0.2.189".
"""

import asyncio
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions
from claude_agent_sdk.types import HookEvent

from otel_loopwatch.control.frameworks.claude_agent_sdk import loopwatch_hooks
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy

options = ClaudeAgentOptions(hooks=loopwatch_hooks(Gate(ResponsePolicy())))


async def hook(name: HookEvent, call_id: str, **more: Any) -> dict[str, Any]:
    """What the hook of an event says about a search."""
    event = {"session_id": "example", "hook_event_name": name, "tool_use_id": call_id, **more}
    event |= {"tool_name": "search_docs", "tool_input": {"query": "return of kettles"}}
    (matcher,) = options.hooks[name]
    said: dict[str, Any] = await matcher.hooks[0](event, call_id, {"signal": None})
    return said


async def main() -> None:
    """Search until a hook says stop."""
    for n in range(10):
        before = await hook("PreToolUse", f"call-{n}")
        print("before the call:", before)
        if before.get("continue_") is False:
            break
        if not before:
            result = "No policy matches. Known policies: return of clothing, return of furniture."
            print("after the call:", await hook("PostToolUse", f"call-{n}", tool_response=result))


asyncio.run(main())
