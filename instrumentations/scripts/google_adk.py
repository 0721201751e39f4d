"""Google's Agent Development Kit with its own spans, or with OpenInference."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """ADK finds the global provider by itself."""
    provider = watching.provider()
    if variant == "openinference":
        from openinference.instrumentation.google_adk import GoogleADKInstrumentor

        GoogleADKInstrumentor().instrument(tracer_provider=provider)


async def play(task: Task) -> None:
    """Run the agent once."""
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.runners import InMemoryRunner
    from google.genai.types import Content, Part

    runner = InMemoryRunner(agent=new_agent(task), app_name="support")
    session = await runner.session_service.create_session(app_name="support", user_id="user")
    question = Content(role="user", parts=[Part(text=QUESTION)])
    streaming = StreamingMode.SSE if task.scenario.stream else StreamingMode.NONE
    config = RunConfig(streaming_mode=streaming, max_llm_calls=task.scenario.rounds)
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=question, run_config=config):
        pass


def new_agent(task: Task):
    """The agent of a task, with its sub-agent as a tool."""
    from google.adk.agents import LlmAgent
    from google.adk.tools.agent_tool import AgentTool

    tools: list[Any] = list(task.tools.values())
    if task.researcher is not None:
        tools.append(AgentTool(new_agent(task.researcher)))
    on_error = None if task.scenario.raises else give_to_the_model
    return LlmAgent(
        name="ask_researcher" if task.agent == watch.RESEARCHER else task.agent,
        model=new_model(task),
        instruction=INSTRUCTIONS,
        tools=tools,
        on_tool_error_callback=on_error,
    )


def give_to_the_model(tool: Any, args: Any, tool_context: Any, error: Exception) -> dict[str, str]:
    """By default a tool's error ends the run."""
    return {"error": str(error)}


def new_model(task: Task):
    """A model that answers what the script says."""
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    class Scripted(BaseLlm):
        model: str = "scripted"

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
            reply = task.session.reply()
            parts = [
                types.Part(function_call=types.FunctionCall(id=id_, name=call.tool, args=call.arguments))
                for id_, call in reply.calls
            ]
            usage = types.GenerateContentResponseUsageMetadata(
                prompt_token_count=100, candidates_token_count=20, total_token_count=120
            )
            content = types.Content(role="model", parts=parts or [types.Part(text=reply.answer)])
            if stream and not parts:
                yield LlmResponse(content=content, partial=True)
            yield LlmResponse(content=content, finish_reason=types.FinishReason.STOP, usage_metadata=usage)

    return Scripted()


if __name__ == "__main__":
    watch.main(
        set_up,
        play,
        scenarios=("looping", "healthy", "parallel", "sub_agent", "error", "uncaught", "stream", "limited"),
    )
