"""Claude Code, and the Claude Agent SDK that runs it.

Arguments are there with ``OTEL_LOG_TOOL_DETAILS``, results with ``OTEL_LOG_TOOL_CONTENT``.
"""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.values import text
from otel_loopwatch.spans import Span

_ROLES = {
    "claude_code.tool": Role.TOOL,
    "claude_code.llm_request": Role.MODEL,
    "claude_code.interaction": Role.AGENT,
}
NAMES = tuple(_ROLES)


class ClaudeCode(Dialect):
    """``claude_code.*`` spans; arguments and result are texts with a label before them."""

    name = "claude-code"
    tool_keys = ("gen_ai.tool.name", "tool_name")
    call_id_keys = ("gen_ai.tool.call.id", "tool_use_id")
    agent_keys = ("gen_ai.agent.name", "agent_id")
    content_keys = ("tool_input", "new_context", "user_prompt", "tool_output", "tool_parameters")
    cut_keys = ("tool_input_truncated", "new_context_truncated")
    input_token_keys = ("gen_ai.usage.input_tokens", "input_tokens")
    output_token_keys = ("gen_ai.usage.output_tokens", "output_tokens")

    def role(self, span: Span) -> Role:
        return _ROLES.get(span.name, Role.OTHER)

    def arguments(self, span: Span, limit: int) -> object:
        return _unlabelled(text(span.attributes, "tool_input"), "[TOOL INPUT:")

    def result(self, span: Span, limit: int) -> object:
        return _unlabelled(text(span.attributes, "new_context"), "[TOOL RESULT:")

    def failed(self, span: Span) -> bool:
        return super().failed(span) or span.attributes.get("success") in (False, "false")


def _unlabelled(captured: str | None, label: str) -> str | None:
    if captured is None or not captured.startswith(label):
        return captured
    return captured.partition("]")[2].lstrip()
