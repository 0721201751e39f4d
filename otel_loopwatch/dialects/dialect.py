"""The one reader of spans: the GenAI semantic conventions, of which a dialect overrides what it writes differently.

Source of the defaults: OpenTelemetry semantic conventions for generative AI, ``execute_tool``, ``invoke_agent`` and
inference spans (status: development).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otel_loopwatch.dialects import failures, messages
from otel_loopwatch.dialects.base import AgentInfo, CallContent, Role, TurnContent
from otel_loopwatch.dialects.declared import declared
from otel_loopwatch.dialects.envelopes import open_arguments, open_result
from otel_loopwatch.dialects.values import first, integer, is_cut, text
from otel_loopwatch.spans import Span

OPERATION = "gen_ai.operation.name"
EXECUTE_TOOL = "execute_tool "

MESSAGES_PER_VALUE = 16
"""A request repeats its whole history: its text may be this many times longer than one value."""

OPERATIONS = {
    "execute_tool": Role.TOOL,
    "handoff": Role.TOOL,
    "chat": Role.MODEL,
    "text_completion": Role.MODEL,
    "generate_content": Role.MODEL,
    "invoke_agent": Role.AGENT,
}


class Dialect:
    """How one family of instrumentations writes calls, agents and model responses. Stateless."""

    name = "genai"
    kind_key = OPERATION
    """Attribute that tells the role, by ``roles``."""
    roles: Mapping[str, Role] = OPERATIONS
    tool_keys: tuple[str, ...] = ("gen_ai.tool.name",)
    call_id_keys: tuple[str, ...] = ("gen_ai.tool.call.id",)
    argument_keys: tuple[str, ...] = ("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "gen_ai.tool.args")
    """Before it was settled, the conventions' name was guessed: any-agent and Koog write ``gen_ai.tool.args``."""
    result_keys: tuple[str, ...] = ("gen_ai.tool.call.result", "gen_ai.tool.result", "gen_ai.tool.output")
    agent_keys: tuple[str, ...] = ("gen_ai.agent.name",)
    conversation_keys: tuple[str, ...] = ("gen_ai.conversation.id", "session.id")
    user_keys: tuple[str, ...] = ("user.id", "enduser.id")
    input_token_keys: tuple[str, ...] = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
    output_token_keys: tuple[str, ...] = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
    cut_keys: tuple[str, ...] = ()
    """Attributes that say, when true, that a value was cut."""
    content_keys: tuple[str, ...] = (
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.retrieval.documents",
        "gen_ai.retrieval.query.text",
        "gen_ai.evaluation.explanation",
        "error.message",
        "message",  # of AutoGen's runtime
    )
    """Attributes in which users, models and tools speak, besides arguments and results; one with a dot at its end
    stands for all that begin with it. Of any span: several dialects write into one trace."""

    def role(self, span: Span) -> Role:
        """What the span stands for, by its kind; before it has one, by its name."""
        kind = span.attributes.get(self.kind_key)
        if kind is None:
            kind = span.name.partition(" ")[0]
        return self.roles.get(kind, Role.OTHER) if isinstance(kind, str) else Role.OTHER

    def call(self, span: Span, limit: int, attribute_limit: int | None) -> CallContent | None:
        """The call, its values out of their envelopes; ``None`` without a tool's name."""
        tool = self.tool(span)
        if tool is None:
            return None
        attributes = span.attributes
        raw_arguments, raw_result = self.arguments(span, limit), self.result(span, limit)
        arguments, result = open_arguments(raw_arguments, limit), open_result(raw_result, limit)
        failed = (self.failed(span) or result.failed) and not failures.paused(span)
        said = declared(attributes)
        return CallContent(
            tool=tool,
            dialect=self.name,
            call_id=self.call_id(span) or arguments.call_id or result.call_id,
            arguments=arguments.value,
            result=result.value,
            failed=failed,
            error=failures.error_text(span) if failed else None,
            outcome=said.outcome,
            agent=self.agent_name(span),
            conversation=self.conversation(span),
            truncated=is_cut(raw_arguments, attribute_limit)
            or is_cut(raw_result, attribute_limit)
            or self._says_it_was_cut(attributes),
            progress_version=said.progress_version,
            state=said.state,
        )

    def _says_it_was_cut(self, attributes: Mapping[str, Any]) -> bool:
        return bool(self.cut_keys) and any(attributes.get(key) is True for key in self.cut_keys)

    def agent(self, span: Span) -> AgentInfo:
        """Agent, conversation and user as far as the span names them."""
        user = text(span.attributes, *self.user_keys)
        return AgentInfo(name=self.agent_name(span), conversation=self.conversation(span), user=user)

    def turn(self, span: Span, limit: int, attribute_limit: int | None) -> TurnContent:
        """The model's response and the history it was given."""
        agent = self.agent(span)
        longest = limit * MESSAGES_PER_VALUE
        asked = messages.read(self.output_messages(span, longest), limit, attribute_limit)
        given = messages.read(self.input_messages(span, longest), limit, attribute_limit)
        return TurnContent(
            tokens=self.tokens(span),
            calls=asked.calls,
            history=given.calls,
            results=given.results,
            agent=agent.name,
            conversation=agent.conversation,
            dialect=self.name,
        )

    def tool(self, span: Span) -> str | None:
        """Name of the tool; by the conventions, the span's name holds it as well."""
        name = text(span.attributes, *self.tool_keys)
        if name is None and span.name.startswith(EXECUTE_TOOL):
            return span.name[len(EXECUTE_TOOL) :] or None
        return name

    def agent_name(self, span: Span) -> str | None:
        """Name of the agent at work."""
        return text(span.attributes, *self.agent_keys)

    def conversation(self, span: Span) -> str | None:
        """Id of the conversation, thread or session."""
        return text(span.attributes, *self.conversation_keys)

    def call_id(self, span: Span) -> str | None:
        """Id of the call, where the span itself has it."""
        return text(span.attributes, *self.call_id_keys)

    def arguments(self, span: Span, limit: int) -> object:
        """Arguments as captured, envelope and all."""
        return first(span.attributes, *self.argument_keys)

    def result(self, span: Span, limit: int) -> object:
        """Result as captured, envelope and all."""
        return first(span.attributes, *self.result_keys)

    def failed(self, span: Span) -> bool:
        """Whether the span says that the call failed."""
        return span.failed or span.attributes.get("error.type") is not None

    def tokens(self, span: Span) -> int:
        """Tokens of this span, input and output."""
        attributes = span.attributes
        return (integer(attributes, *self.input_token_keys) or 0) + (integer(attributes, *self.output_token_keys) or 0)

    def input_messages(self, span: Span, limit: int) -> object:
        """Messages of the request, as in the conventions: a list of ``{"role", "parts"}``."""
        return messages.captured(span, "gen_ai.input.messages", limit)

    def output_messages(self, span: Span, limit: int) -> object:
        """Messages of the response, in the same shape."""
        return messages.captured(span, "gen_ai.output.messages", limit)
