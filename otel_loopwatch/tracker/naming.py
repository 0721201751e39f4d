"""Names of tools and agents without what instrumentations put around them."""

from __future__ import annotations

import re

MAX_NAME = 128
"""Characters kept of a name that becomes part of a run's key: the model may have chosen it."""

_TOOL_PREFIXES = ("MCP send ", "tools/call ", "execute_tool ", "running tool ", "anthropic.custom_tool_use ")
_AGENT_PREFIXES = ("invoke_agent ", "invoke_workflow ")
_TOOL_SUFFIX = ".tool"
_AGENT_SUFFIXES = (".agent", ".workflow")
_STEP = re.compile(r"(?<![a-z])(?:step|turn|iteration|cycle|loop|round|attempt)s?(?![a-z])", re.IGNORECASE)


def plain_tool(name: str) -> str:
    """The tool's own name: ``mcp__shop__find``, ``tools/call find`` and ``find.tool`` are all ``find``."""
    for prefix in _TOOL_PREFIXES:
        name = name.removeprefix(prefix)
    if name.startswith("mcp__"):
        name = name.rpartition("__")[2] or name
    return name.removesuffix(_TOOL_SUFFIX)


def plain_agent(name: str) -> str:
    """The agent's own name, from the name of a span that stands for it (or for the tool it is called as)."""
    for prefix in _AGENT_PREFIXES:
        name = name.removeprefix(prefix)
    for suffix in _AGENT_SUFFIXES:
        name = name.removesuffix(suffix)
    return plain_tool(name)[:MAX_NAME]


def is_step(name: str) -> bool:
    """Whether a span of this name is one round of an agent rather than an agent."""
    return _STEP.search(name) is not None
