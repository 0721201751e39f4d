"""The openai client in an application's own loop: chat completions and responses, with three instrumentations."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

import watch
from openai import OpenAI
from scenarios import CLIENT_SCENARIOS
from tools import SCHEMAS, schema
from watch import INSTRUCTIONS, QUESTION, Task, Watch

from scripts.clients import Asked, work

MODEL = "gpt-4o-mini"


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentations named after the interface: ``chat-genai``."""
    provider = watching.provider()
    interface, instrumentations = variant.split("-")
    os.environ["INTERFACE"] = interface
    for instrumentation in instrumentations.split("+"):
        instrumentor(instrumentation).instrument(tracer_provider=provider)


def instrumentor(name: str):
    """The instrumentor that a part of the variant names."""
    if name == "openinference":
        from openinference.instrumentation.openai import OpenAIInstrumentor
    elif name == "openllmetry":
        from opentelemetry.instrumentation.openai import OpenAIInstrumentor
    else:
        from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
    return OpenAIInstrumentor()


def play(task: Task) -> None:
    """Run the loop once."""
    client = OpenAI(base_url=f"{task.url}/v1", max_retries=0, api_key="none")
    (chat if os.environ["INTERFACE"] == "chat" else responses)(client, task)


def chat(client: OpenAI, task: Task) -> None:
    """Chat completions."""
    tools = [{"type": "function", "function": {"name": name, "parameters": schema(name)}} for name in SCHEMAS]
    messages: list[Any] = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": QUESTION}]

    def ask() -> Iterable[Asked]:
        request: dict[str, Any] = {"model": MODEL, "messages": messages, "tools": tools}
        calls = streamed(request) if task.scenario.stream else whole(request)
        if calls:
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        return [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]

    def whole(request: dict[str, Any]) -> list[dict[str, Any]]:
        reply = client.chat.completions.create(**request).choices[0].message
        return [call.model_dump() for call in reply.tool_calls or []]

    def streamed(request: dict[str, Any]) -> list[dict[str, Any]]:
        chunks = client.chat.completions.create(**request, stream=True, stream_options={"include_usage": True})
        choices = (choice for chunk in chunks for choice in chunk.choices)
        return [call.model_dump(exclude={"index"}) for choice in choices for call in choice.delta.tool_calls or []]

    def answer(id_: str, result: str, _: bool) -> None:
        messages.append({"role": "tool", "tool_call_id": id_, "content": result})

    work(task, ask, answer)


def responses(client: OpenAI, task: Task) -> None:
    """Responses."""
    tools = [{"type": "function", "name": name, "parameters": schema(name), "strict": False} for name in SCHEMAS]
    items: list[Any] = [{"role": "user", "content": QUESTION}]

    def ask() -> Iterable[Asked]:
        request: dict[str, Any] = {"model": MODEL, "instructions": INSTRUCTIONS, "input": items, "tools": tools}
        if task.scenario.stream:
            events = client.responses.create(**request, stream=True)
            (reply,) = [event.response for event in events if event.type == "response.completed"]
        else:
            reply = client.responses.create(**request)
        calls = [item for item in reply.output if item.type == "function_call"]
        items.extend(call.model_dump(include={"type", "id", "call_id", "name", "arguments"}) for call in calls)
        return [(call.call_id, call.name, json.loads(call.arguments)) for call in calls]

    def answer(id_: str, result: str, _: bool) -> None:
        items.append({"type": "function_call_output", "call_id": id_, "output": result})

    work(task, ask, answer)


if __name__ == "__main__":
    watch.main(set_up, play, CLIENT_SCENARIOS)
