"""Which dialect a span is written in: by the first marker attribute it carries, else by a name that leaves no doubt.

The scope's name is no evidence: pipelines put the spans of a whole service under one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otel_loopwatch.dialects import (
    agent_framework,
    agentops,
    anthropic,
    claude_code,
    future_agi,
    gemini_cli,
    google_adk,
    haystack,
    laminar,
    langfuse,
    langsmith,
    langwatch,
    livekit,
    mastra,
    mcp,
    mlflow,
    openinference,
    openllmetry,
    pydantic_ai,
    spring_ai,
    strands,
    vercel,
    voltagent,
)
from otel_loopwatch.dialects.dialect import OPERATION, Dialect
from otel_loopwatch.spans import Span

GENAI = Dialect()
_OPENLLMETRY, _VERCEL, _ADK = openllmetry.OpenLLMetry(), vercel.Vercel(), google_adk.GoogleADK()
_ANTHROPIC, _HAYSTACK = anthropic.Anthropic(), haystack.Haystack()

MARKERS: dict[str, Dialect] = {
    openinference.KIND: openinference.OpenInference(),
    langsmith.KIND: langsmith.LangSmith(),
    openllmetry.KIND: _OPENLLMETRY,
    openllmetry.REQUEST_TYPE: _OPENLLMETRY,
    mlflow.SPAN_TYPE: mlflow.MLflow(),
    langfuse.TYPE: langfuse.Langfuse(),
    vercel.OPERATION_ID: _VERCEL,
    haystack.MARKER: _HAYSTACK,
    mcp.METHOD: mcp.MCP(),
    gemini_cli.MARKER: gemini_cli.GeminiCLI(),
    **dict.fromkeys(google_adk.MARKERS, _ADK),
    pydantic_ai.MARKER: pydantic_ai.PydanticAI(),
    strands.MARKER: strands.Strands(),
    agent_framework.MARKER: agent_framework.AgentFramework(),
    anthropic.MARKER: _ANTHROPIC,
    future_agi.KIND: future_agi.FutureAGI(),
    livekit.MARKER: livekit.LiveKit(),
    spring_ai.KIND: spring_ai.SpringAI(),
    laminar.TYPE: laminar.Laminar(),
    agentops.KIND: agentops.AgentOps(),
    mastra.TYPE: mastra.Mastra(),
    **dict.fromkeys(voltagent.MARKERS, voltagent.VoltAgent()),
    langwatch.TYPE: langwatch.LangWatch(),
}
"""In order of precedence: several dialects write GenAI attributes beside their own."""

NAMES: dict[str, Dialect] = {
    "execute_tool": GENAI,
    "invoke_agent": GENAI,
    anthropic.TOOL_SPAN: _ANTHROPIC,
    vercel.TOOL_SPAN: _VERCEL,
    **dict.fromkeys(haystack.NAMES, _HAYSTACK),
    **dict.fromkeys(claude_code.NAMES, claude_code.ClaudeCode()),
}
"""By the first word of a span's name."""

DIALECTS: tuple[Dialect, ...] = tuple({d.name: d for d in (GENAI, *MARKERS.values(), *NAMES.values())}.values())
"""All of them."""

_RANKS = {marker: rank for rank, marker in enumerate(MARKERS)}
_MARKED = frozenset(MARKERS)
TELLING = _MARKED | {OPERATION}
"""No span without one of these attributes is of a dialect, unless it is named like one."""
NAMED = tuple(NAMES)
"""How such a name begins."""


def find(span: Span) -> Dialect | None:
    """The span's dialect, or ``None`` for an ordinary span."""
    return dialect_of(span.attributes, span.name)


def dialect_of(attributes: Mapping[str, Any], name: str) -> Dialect | None:
    """The dialect of a span with these attributes and this name."""
    if not _MARKED.isdisjoint(attributes):
        return MARKERS[min(_MARKED.intersection(attributes), key=_RANKS.__getitem__)]
    named = NAMES.get(name.partition(" ")[0]) if name.startswith(NAMED) else None
    if named is None and OPERATION in attributes:
        return GENAI
    return named
