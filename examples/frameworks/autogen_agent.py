"""An AutoGen agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "autogen-agentchat==0.7.5" "autogen-ext==0.7.5".
"""

import asyncio

from autogen_agentchat.messages import ToolCallExecutionEvent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

from otel_loopwatch.control.frameworks.autogen import GatedAssistantAgent
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy

ROUNDS = 20
CALLS = [FunctionCall(f"call-{turn}", '{"query": "return of kettles"}', "search_docs") for turn in range(ROUNDS)]
USAGE = RequestUsage(prompt_tokens=10, completion_tokens=10)
MODEL = ReplayChatCompletionClient(  # in place of a real one; asks for the same search, whatever it is told
    [CreateResult(finish_reason="function_calls", content=[call], usage=USAGE, cached=False) for call in CALLS],
    ModelInfo(vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False),
)


def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


async def main() -> None:
    """Ask the agent once, and show what its model is told."""
    agent = GatedAssistantAgent(
        Gate(ResponsePolicy()), "support", MODEL, tools=[search_docs], max_tool_iterations=ROUNDS
    )
    async for item in agent.run_stream(task="Can the kettle be returned?"):
        if isinstance(item, ToolCallExecutionEvent):
            print("the model reads:", item.content[0].content)
    print("the agent says:", item.messages[-1].to_text())


asyncio.run(main())
