"""LangChain's create_agent, with OpenInference, OpenLLMetry, the OpenTelemetry GenAI instrumentation or LangSmith."""

from __future__ import annotations

import os
from collections.abc import Callable

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Global provider, then the instrumentations; LangSmith finds the provider by itself."""
    provider = watching.provider()
    for instrumentation in variant.split("+"):
        if instrumentation == "openinference":
            from openinference.instrumentation.langchain import LangChainInstrumentor

            LangChainInstrumentor().instrument(tracer_provider=provider)
        elif instrumentation == "openllmetry":
            from opentelemetry.instrumentation.langchain import LangchainInstrumentor

            LangchainInstrumentor().instrument(tracer_provider=provider)
        elif instrumentation == "genai":
            from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor

            LangChainInstrumentor().instrument(tracer_provider=provider)


def flush() -> None:
    """LangSmith makes its spans in a thread of its own."""
    if os.environ.get("LANGSMITH_TRACING"):
        from langsmith.run_trees import get_cached_client

        get_cached_client().flush()


def play(task: Task) -> None:
    """Run the agent once."""
    agent = new_agent(task)
    question = {"messages": [{"role": "user", "content": QUESTION}]}
    config = {"recursion_limit": 2 * task.scenario.rounds + 1}
    if task.scenario.stream:
        for _ in agent.stream(question, config, stream_mode="messages"):
            pass
    else:
        agent.invoke(question, config)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent behind a tool."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model="gpt-4o-mini", base_url=f"{task.url}/v1", max_retries=0, streaming=task.scenario.stream, api_key="none"
    )
    tools: list[Callable[..., str]] = list(task.tools.values())
    if task.researcher is not None:
        tools.append(sub_agent(task.researcher))
    middleware = [] if task.scenario.raises else [tool_errors()]
    return create_agent(model, tools, middleware=middleware, name=task.agent, system_prompt=INSTRUCTIONS)


def sub_agent(task: Task) -> Callable[..., str]:
    """A tool that asks another agent."""

    def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        answer = new_agent(task).invoke({"messages": [{"role": "user", "content": question}]})
        return str(answer["messages"][-1].content)

    return ask_researcher


def tool_errors():
    """Gives errors of tools to the model; by default they end the run."""
    from langchain.agents.middleware import wrap_tool_call
    from langchain_core.messages import ToolMessage

    @wrap_tool_call
    def give_to_the_model(request, handler):
        try:
            return handler(request)
        except Exception as error:  # noqa: BLE001
            return ToolMessage(f"Error: {error}", tool_call_id=request.tool_call["id"], status="error")

    return give_to_the_model


if __name__ == "__main__":
    watch.main(set_up, play, flush=flush)
