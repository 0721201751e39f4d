"""An ADK agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "google-adk==2.13.0".
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part

from otel_loopwatch.control.frameworks.google_adk import LoopwatchPlugin
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


class StuckModel(BaseLlm):  # type: ignore[misc] # in place of a real one
    """Asks for the same search, whatever it is told."""

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        """One response: a call of the tool."""
        call = Part.from_function_call(name="search_docs", args={"query": "return of kettles"})
        yield LlmResponse(content=Content(role="model", parts=[call]))


def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


async def main() -> None:
    """Ask the agent once."""
    agent = LlmAgent(name="support", model=StuckModel(model="stuck"), tools=[search_docs])
    gate = Gate(ResponsePolicy())
    runner = InMemoryRunner(agent=agent, app_name="support", plugins=[LoopwatchPlugin(gate)])
    for event in await runner.run_debug("Can the kettle be returned?", quiet=True):
        for part in event.content.parts:
            if part.function_response:
                print("the model reads:", part.function_response.response)
            elif part.text:
                print("the agent says:", part.text)


asyncio.run(main())
