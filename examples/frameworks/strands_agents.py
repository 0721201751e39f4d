"""A Strands agent that asks the same again and again: it is told twice, refused twice, and then halted.

The model is scripted, so this runs offline: pip install otel-loopwatch "strands-agents==1.62.0".
"""

from collections.abc import AsyncIterator
from typing import Any

from strands import Agent, tool
from strands.models import Model

from otel_loopwatch.control.frameworks.strands import LoopwatchHooks
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy


class StuckModel(Model):  # type: ignore[misc] # in place of a real one
    """Asks for the same search, whatever it is told."""

    stateful = False

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[dict[str, Any]]:
        """One response: a call of the tool."""
        print("the model reads:", str(messages[-1]["content"])[:400])
        use = {"toolUseId": f"call-{len(messages)}", "name": "search_docs"}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {"toolUse": use}}}
        yield {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"query": "return of kettles"}'}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use"}}

    def get_config(self) -> dict[str, Any]:
        """Nothing to configure."""
        return {}

    def update_config(self, **_: Any) -> None:
        """Nothing to configure."""

    def structured_output(self, *_: Any, **__: Any) -> Any:
        """Not used."""
        raise NotImplementedError


@tool  # type: ignore[untyped-decorator]
def search_docs(query: str) -> str:
    """Search the documentation."""
    print("the tool runs")
    return f"No policy matches '{query}'. Known policies: return of clothing, return of furniture."


gate = Gate(ResponsePolicy())
agent = Agent(model=StuckModel(), tools=[search_docs], hooks=[LoopwatchHooks(gate)], callback_handler=None)
print("the agent says:", agent("Can the kettle be returned?"))
