"""LangChain's create_agent with the middleware, and OpenInference."""

from __future__ import annotations

from brakes import INSTRUCTIONS, QUESTION, Task, main
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch.control.frameworks.langchain import LoopwatchMiddleware


def play(task: Task) -> str:
    """Run the agent once; the last message is its answer."""
    model = ChatOpenAI(model="gpt-4o-mini", base_url=f"{task.url}/v1", max_retries=0, api_key="none")
    agent = create_agent(
        model,
        list(task.tools.values()),
        middleware=[LoopwatchMiddleware(task.gate, task.agent)],
        name=task.agent,
        system_prompt=INSTRUCTIONS,
    )
    answer = agent.invoke({"messages": [{"role": "user", "content": QUESTION}]}, {"recursion_limit": 200})
    return str(answer["messages"][-1].content)


def instrument(provider: TracerProvider) -> None:
    """Turn the spans on."""
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    main(play, instrument)
