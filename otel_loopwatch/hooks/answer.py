"""What is said to the tool. Nothing lets it go on as it would have: a hook that allows would override its own rules."""

from __future__ import annotations

import json

from otel_loopwatch.hooks.gateway import Halt

FINISH = "Do not call tools any more: tell the user what you have, and what is missing."


def halted(halt: Halt) -> str:
    """Why a call may not be, for the model and for who looks on."""
    by = f" by {halt.by}" if halt.by else ""
    return " ".join(filter(None, (f"This run was halted{by}.", halt.advice or halt.reason, FINISH)))


def unknown(problem: BaseException) -> str:
    """Why a call may not be where nobody can say whether the run is halted."""
    said = str(problem) or type(problem).__name__
    return f"No call is allowed while the loop watch cannot be asked whether this run is to go on ({said})."


def refusal(reason: str, *, end: bool = False) -> str:
    """The call may not be. ``end``: nor may the session go on; of Claude Code alone."""
    decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    ended = {"continue": False, "stopReason": reason} if end else {}
    return json.dumps({"hookSpecificOutput": decision, **ended})
