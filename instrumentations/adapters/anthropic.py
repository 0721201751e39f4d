"""Anthropic's tool runner with gated tools, and the SDK's own spans."""

from __future__ import annotations

import os

from anthropic import Anthropic, beta_tool
from brakes import INSTRUCTIONS, QUESTION, Task, main
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch.control.frameworks.anthropic import GatedRunner


def play(task: Task) -> str:
    """Run the tool runner once; the last message is its answer."""
    client = Anthropic(base_url=task.url, max_retries=0, api_key="none")
    gated = GatedRunner(task.gate, task.agent)
    runner = client.beta.messages.tool_runner(
        model="claude-sonnet-4-5",
        max_tokens=100,
        system=INSTRUCTIONS,
        messages=[{"role": "user", "content": QUESTION}],
        tools=gated.tools(beta_tool(tool) for tool in task.tools.values()),
        thread=False,  # the scripted model reads notes in the whole conversation of a request
    )
    *_, last = gated.messages(runner)
    return str(last.content[0].text)


def instrument(provider: TracerProvider) -> None:
    """The SDK finds the global provider; without this it writes no content."""
    os.environ["ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE"] = "content"


if __name__ == "__main__":
    main(play, instrument)
