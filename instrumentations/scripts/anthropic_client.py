"""The anthropic client in an application's own loop, with three instrumentations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import watch
from anthropic import Anthropic
from scenarios import CLIENT_SCENARIOS
from tools import SCHEMAS, schema
from watch import INSTRUCTIONS, QUESTION, Task, Watch

from scripts.clients import Asked, work


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentations."""
    provider = watching.provider()
    for instrumentation in variant.split("+"):
        instrumentor(instrumentation).instrument(tracer_provider=provider)


def instrumentor(name: str):
    """The instrumentor that a part of the variant names."""
    if name == "openinference":
        from openinference.instrumentation.anthropic import AnthropicInstrumentor
    elif name == "openllmetry":
        from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor
    else:
        from opentelemetry.instrumentation.genai.anthropic import AnthropicInstrumentor
    return AnthropicInstrumentor()


def play(task: Task) -> None:
    """Run the loop once."""
    client = Anthropic(base_url=task.url, max_retries=0, api_key="none")
    tools = [{"name": name, "input_schema": schema(name)} for name in SCHEMAS]
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    request: dict[str, Any] = {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": INSTRUCTIONS, "tools": tools}

    def ask() -> Iterable[Asked]:
        if task.scenario.stream:
            with client.messages.stream(**request, messages=messages) as stream:
                reply = stream.get_final_message()
        else:
            reply = client.messages.create(**request, messages=messages)
        calls = [block for block in reply.content if block.type == "tool_use"]
        asked = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in calls]
        messages.extend([{"role": "assistant", "content": asked}, {"role": "user", "content": []}])
        return [(call.id, call.name, call.input) for call in calls]

    def answer(id_: str, result: str, failed: bool) -> None:
        told = {"type": "tool_result", "tool_use_id": id_, "content": result, "is_error": failed}
        messages[-1]["content"].append(told)

    work(task, ask, answer)


if __name__ == "__main__":
    watch.main(set_up, play, CLIENT_SCENARIOS)
