"""A way out for the model: a tool with which it says what it lacks, as each kind of model is told of tools.

A model that may only call or answer goes on calling. What it reports here is given to
:meth:`GuardedRun.report_blocked`, and ``otel-loopwatch blocked`` counts what agents lacked.
"""

from __future__ import annotations

from typing import Any

REPORT_BLOCKED = "report_blocked"
"""Name of the tool."""
DESCRIPTION = (
    "Call this when you cannot go on: something is missing that no tool gives you, or the same failure came back "
    "although you changed your approach. It ends your work here and hands it to a person."
)
TRIED = "What you tried, in one or two sentences."
NEEDED = "The one thing you need to go on, named as briefly and generally as possible. No personal data."


def parameters() -> dict[str, Any]:
    """JSON Schema of the arguments: ``tried`` and ``needed``."""
    properties = {
        name: {"type": "string", "description": told} for name, told in (("tried", TRIED), ("needed", NEEDED))
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def for_openai() -> dict[str, Any]:
    """For the ``tools`` of OpenAI's Responses API."""
    return {"type": "function", **_named("parameters"), "strict": True}


def for_openai_chat() -> dict[str, Any]:
    """For the ``tools`` of OpenAI's Chat Completions API."""
    return {"type": "function", "function": {**_named("parameters"), "strict": True}}


def for_anthropic() -> dict[str, Any]:
    """For the ``tools`` of Anthropic's Messages API."""
    return _named("input_schema")


def for_mcp() -> dict[str, Any]:
    """For ``tools/list`` of the Model Context Protocol."""
    return _named("inputSchema")


def _named(schema: str) -> dict[str, Any]:
    return {"name": REPORT_BLOCKED, "description": DESCRIPTION, schema: parameters()}
