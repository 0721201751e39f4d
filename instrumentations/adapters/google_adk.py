"""Google's Agent Development Kit with its own spans."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

from brakes import INSTRUCTIONS, QUESTION, Task, main
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from otel_loopwatch.control.frameworks.google_adk import LoopwatchPlugin

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"


async def play(task: Task) -> str:
    """Run the agent once. ADK finds the global provider by itself."""
    agent = LlmAgent(name=task.agent, model=new_model(task), instruction=INSTRUCTIONS, tools=list(task.tools.values()))
    runner = InMemoryRunner(agent=agent, app_name="support", plugins=[LoopwatchPlugin(task.gate)])
    session = await runner.session_service.create_session(app_name="support", user_id="user")
    question = types.Content(role="user", parts=[types.Part(text=QUESTION)])
    answer = ""
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=question):
        if event.is_final_response() and event.content:
            answer = "".join(part.text or "" for part in event.content.parts or [])
    return answer


def new_model(task: Task) -> BaseLlm:
    """A model that answers what the script says."""

    class Scripted(BaseLlm):  # type: ignore[misc]
        model: str = "scripted"

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
            reply = task.model.reply([content.model_dump(mode="json") for content in llm_request.contents])
            parts = [
                types.Part(function_call=types.FunctionCall(id=id_, name=call.tool, args=dict(call.arguments)))
                for id_, call in reply.calls
            ]
            content = types.Content(role="model", parts=parts or [types.Part(text=reply.answer)])
            yield LlmResponse(content=content, finish_reason=types.FinishReason.STOP)

    return Scripted()


if __name__ == "__main__":
    main(play)
