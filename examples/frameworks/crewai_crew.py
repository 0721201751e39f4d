"""A crew that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "crewai==1.15.30".
"""

import os
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks import HookAborted
from crewai.tools import tool

from otel_loopwatch.control.frameworks.crewai import gated
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


class StuckModel(BaseLLM):  # type: ignore[misc] # in place of a real one
    """Asks for the same search, whatever it is told."""

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        """One response: a call of the tool."""
        print("the model reads:", str(messages[-1]["content"])[:400])
        function = {"name": "search_docs", "arguments": '{"query": "return of kettles"}'}
        return [{"id": f"call-{len(messages)}", "type": "function", "function": function}]

    def supports_function_calling(self) -> bool:
        """Calls come as calls, not as text."""
        return True


@tool("search_docs")  # type: ignore[untyped-decorator]
def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


search_docs.cache_function = lambda *_: False  # or CrewAI answers in the tool's place
agent = Agent(role="support", goal="help", backstory="You help.", tools=[search_docs], llm=StuckModel(model="stuck"))
task = Task(description="Can the kettle be returned?", expected_output="an answer", agent=agent)
try:
    with gated(Gate(ResponsePolicy())):
        print("the crew says:", Crew(agents=[agent], tasks=[task]).kickoff())
except HookAborted as halted:
    print("halted:", halted.reason)
