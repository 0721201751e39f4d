"""Recorded events of hooks, and a gateway that answers as a test tells it to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

INPUTS = Path(__file__).parent / "hook" / "inputs"
TOOLS = ("claude-code", "codex")


def recorded(tool: str, event: str, **changed: Any) -> dict[str, Any]:
    """A recorded event, with fields changed; ``None`` leaves one out."""
    told = json.loads((INPUTS / tool / f"{event}.json").read_bytes()) | changed
    return {key: value for key, value in told.items() if value is not None}


def answered(status: int, told: object) -> bytes:
    """An HTTP answer in JSON."""
    body = json.dumps(told).encode()
    return f"HTTP/1.1 {status} So\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def decision(action: str, **told: str) -> bytes:
    """The answer to who asks for a decision."""
    return answered(200, {"run": "r", "action": action, "version": 1, **told})


GO_ON = decision("continue")
HALT = decision("halt", by="ann", reason="Bash repeats.", advice="Bash repeats. Take another way.")
TAKEN = answered(200, {})
NOT_KNOWN = answered(404, {"run": "r", "known": False, "decision": {"run": "r", "action": "continue", "version": 0}})
