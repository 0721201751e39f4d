"""An OpenAI agent whose model searches for the same thing again and again: it is told, refused, and stopped.

Needs ``pip install otel-loopwatch openai-agents``; the model is a scripted one, so nothing leaves the machine.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall

from otel_loopwatch.control.frameworks.openai_agents import guarded
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy

numbers = count(1)


class StuckModel(Model):  # type: ignore[misc]
    """Asks for the same search, whatever it is told."""

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        """Always the same call."""
        call = ResponseFunctionToolCall(
            type="function_call",
            call_id=f"call-{next(numbers)}",
            name="search_docs",
            arguments='{"query": "refund of a kettle"}',
        )
        return ModelResponse(output=[call], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Nothing here is streamed."""
        raise NotImplementedError


@function_tool  # type: ignore[untyped-decorator]
def search_docs(query: str) -> str:
    """Search the documentation."""
    print("  search_docs runs")
    return "No policy matches. Known policies: return of clothing, return of furniture, warranty."


set_tracing_disabled(True)
gate = Gate(ResponsePolicy())
agent = guarded(Agent(name="support", model=StuckModel(), tools=[search_docs]), gate)
result = Runner.run_sync(agent, "Can a kettle be returned?")
for item in result.new_items:
    print(f"{item.type}: {getattr(item, 'output', '')}")
print(f"final output: {result.final_output}")
