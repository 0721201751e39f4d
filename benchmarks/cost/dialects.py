"""How instrumentations write an agent's span and those of its tools, with the content and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .exchanges import Exchange

Attributes = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Written:
    """A tool span: what it starts with, and what is added before it ends."""

    name: str
    begun: Attributes
    ended: Attributes


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to write: attributes that are always there, and the keys of the others."""

    agent: Attributes
    tool: Attributes
    name_key: str
    id_key: str
    arguments_key: str
    result_key: str

    def written(self, one: Exchange, number: int, content: bool = True) -> Written:
        """A call as the attributes of its span."""
        begun = {**self.tool, self.name_key: one.tool, self.id_key: f"call_{number}"}
        if not content:
            return Written(f"execute_tool {one.tool}", begun, {})
        return Written(
            f"execute_tool {one.tool}", {**begun, self.arguments_key: one.arguments}, {self.result_key: one.result}
        )


DIALECTS: Mapping[str, Dialect] = {
    "GenAI": Dialect(
        agent={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "agent"},
        tool={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function", "gen_ai.agent.name": "agent"},
        name_key="gen_ai.tool.name",
        id_key="gen_ai.tool.call.id",
        arguments_key="gen_ai.tool.call.arguments",
        result_key="gen_ai.tool.call.result",
    ),
    "OpenInference": Dialect(
        agent={"openinference.span.kind": "AGENT", "agent.name": "agent"},
        tool={"openinference.span.kind": "TOOL", "input.mime_type": "application/json", "session.id": "s"},
        name_key="tool.name",
        id_key="tool_call.id",
        arguments_key="input.value",
        result_key="output.value",
    ),
    "OpenLLMetry": Dialect(
        agent={"traceloop.span.kind": "agent", "traceloop.entity.name": "agent"},
        tool={"traceloop.span.kind": "tool", "traceloop.workflow.name": "agent", "traceloop.entity.path": "agent"},
        name_key="traceloop.entity.name",
        id_key="gen_ai.tool.call.id",
        arguments_key="traceloop.entity.input",
        result_key="traceloop.entity.output",
    ),
}
ORDINARY: Attributes = {"http.request.method": "GET", "url.path": "/", "server.port": 443}
"""A span that is no agent's business starts like this."""
