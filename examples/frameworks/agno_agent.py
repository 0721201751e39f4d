"""An Agno agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "agno==3.1.10" "openai==3.57.0".
"""

from typing import Any

from agno.agent import Agent
from agno.models.message import Message
from agno.models.openai import OpenAIChat
from agno.models.response import ModelResponse

from otel_loopwatch.control.frameworks.agno import attach
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


class StuckModel(OpenAIChat):  # type: ignore[misc] # in place of a real one
    """Asks for the same search, whatever it is told."""

    def invoke(self, messages: list[Message], *_: Any, **__: Any) -> ModelResponse:
        """One response: a call of the tool."""
        print("the model reads:", str(messages[-1].content)[:400])
        function = {"name": "search_docs", "arguments": '{"query": "return of kettles"}'}
        call = {"id": f"call-{len(messages)}", "type": "function", "function": function}
        return ModelResponse(role="assistant", tool_calls=[call])


def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


agent = Agent(model=StuckModel(id="stuck"), tools=[search_docs], telemetry=False)
attach(agent, Gate(ResponsePolicy()))
print("the agent says:", agent.run("Can the kettle be returned?").content)
