"""A Haystack agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "haystack-ai==3.4.1".
"""

from typing import Any

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import tool

from otel_loopwatch.control.frameworks.haystack import hooks
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


@component
class StuckModel:  # in place of a real one
    """Asks for the same search, whatever it is told."""

    @component.output_types(replies=list[ChatMessage])  # type: ignore[untyped-decorator]
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, list[ChatMessage]]:
        """One response: a call of the tool."""
        answer = messages[-1].tool_call_result
        print("the model reads:", answer.result if answer else messages[-1].text)
        call = ToolCall("search_docs", {"query": "return of kettles"}, id=f"call-{len(messages)}")
        return {"replies": [ChatMessage.from_assistant(tool_calls=[call])]}


@tool  # type: ignore[untyped-decorator]
def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


gate = Gate(ResponsePolicy())
agent = Agent(chat_generator=StuckModel(), tools=[search_docs], hooks=hooks(gate))
result = agent.run(messages=[ChatMessage.from_user("Can the kettle be returned?")])
print("the agent says:", result["last_message"].text)
print("why it ended:", result["exit_reason"])
