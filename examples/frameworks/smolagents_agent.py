"""A smolagents agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "smolagents==1.26.0".
"""

from typing import Any

from smolagents import Model, ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from otel_loopwatch.control.frameworks.smolagents import attach
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


class StuckModel(Model):  # type: ignore[misc] # in place of a real one
    """Asks for the same search, whatever it is told."""

    def generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatMessage:
        """One response: a call of the tool."""
        print("the model reads:", str(messages[-1].content)[:400])
        function = ChatMessageToolCallFunction(name="search_docs", arguments={"query": "return of kettles"})
        call = ChatMessageToolCall(function, id=f"call-{len(messages)}", type="function")
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


@tool  # type: ignore[untyped-decorator]
def search_docs(query: str) -> str:
    """Search the documentation.

    Args:
        query: What to look for.
    """
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


agent = ToolCallingAgent([search_docs], StuckModel(), verbosity_level=0)
attach(agent, Gate(ResponsePolicy()))
print("the agent says:", agent.run("Can the kettle be returned?"))
