"""A Claude agent whose model searches for the same thing again and again: it is told, refused, and stopped.

Needs ``pip install otel-loopwatch anthropic``; the model is a scripted one, so nothing leaves the machine.
"""

from __future__ import annotations

from itertools import count

import httpx2
from anthropic import Anthropic, beta_tool

from otel_loopwatch.control.frameworks.anthropic import GatedRunner
from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.policy import ResponsePolicy

numbers = count(1)


def stuck(request: httpx2.Request) -> httpx2.Response:
    """Ask for the same search, whatever was said."""
    number = next(numbers)
    call = {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": "search_docs",
        "input": {"query": "refund of a kettle"},
    }
    return httpx2.Response(
        200,
        json={
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [call],
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        },
    )


@beta_tool  # type: ignore[untyped-decorator]
def search_docs(query: str) -> str:
    """Search the documentation.

    Args:
        query: What to look for.
    """
    print("  search_docs runs")
    return "No policy matches. Known policies: return of clothing, return of furniture, warranty."


client = Anthropic(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(stuck)))
gated = GatedRunner(Gate(ResponsePolicy()), "support")
runner = client.beta.messages.tool_runner(
    model="scripted",
    max_tokens=100,
    messages=[{"role": "user", "content": "Can a kettle be returned?"}],
    tools=gated.tools([search_docs]),
)
for message in gated.messages(runner):
    print(f"{message.content[0].type}: {getattr(message.content[0], 'text', '')}")
