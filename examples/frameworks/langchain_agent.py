"""A LangChain agent whose model searches for the same thing again and again: it is told, refused, and stopped.

Needs ``pip install otel-loopwatch langchain``; the model is a scripted one, so nothing leaves the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from otel_loopwatch.control.frameworks.langchain import LoopwatchMiddleware
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy

numbers = count(1)


class StuckModel(BaseChatModel):  # type: ignore[misc]
    """Asks for the same search, whatever it is told."""

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        call = {"name": "search_docs", "args": {"query": "refund of a kettle"}, "id": f"call-{next(numbers)}"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> StuckModel:
        """It knows its tool."""
        return self

    @property
    def _llm_type(self) -> str:
        return "stuck"


def search_docs(query: str) -> str:
    """Search the documentation."""
    print("  search_docs runs")
    return "No policy matches. Known policies: return of clothing, return of furniture, warranty."


gate = Gate(ResponsePolicy())
agent = create_agent(StuckModel(), [search_docs], middleware=[LoopwatchMiddleware(gate)])
for message in agent.invoke({"messages": [{"role": "user", "content": "Can a kettle be returned?"}]})["messages"]:
    print(f"{message.type}: {message.content or message.tool_calls}")
