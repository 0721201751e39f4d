"""A Pydantic AI agent whose model searches for the same thing again and again: it is told, refused, and stopped.

Needs ``pip install otel-loopwatch pydantic-ai-slim``; the model is a scripted one, so nothing leaves the machine.
"""

from __future__ import annotations

from pydantic_ai import Agent, ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from otel_loopwatch.control.frameworks.pydantic_ai import LoopwatchCapability
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


def stuck(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Ask for the same search, whatever was said."""
    return ModelResponse(parts=[ToolCallPart("search_docs", {"query": "refund of a kettle"})])


def search_docs(query: str) -> str:
    """Search the documentation."""
    print("  search_docs runs")
    return "No policy matches. Known policies: return of clothing, return of furniture, warranty."


gate = Gate(ResponsePolicy())
agent = Agent(FunctionModel(stuck), tools=[search_docs], capabilities=[LoopwatchCapability(gate)])
result = agent.run_sync("Can a kettle be returned?")
for message in result.all_messages():
    for part in message.parts:
        print(f"{part.part_kind}: {getattr(part, 'content', None) or getattr(part, 'args', '')}")
