"""Pydantic AI with its own spans, on the application's provider or through Logfire."""

from __future__ import annotations

import watch
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, variant: str) -> None:
    """Logfire makes the provider and takes processors; without it, the global provider is used."""
    if variant == "logfire":
        import logfire

        logfire.configure(
            send_to_logfire=False,
            console=False,
            inspect_arguments=False,
            additional_span_processors=list(watching.processors),
        )
        logfire.instrument_pydantic_ai()
    else:
        from pydantic_ai import Agent

        watching.provider()
        Agent.instrument_all()


async def play(task: Task) -> None:
    """Run the agent once."""
    from pydantic_ai.usage import UsageLimits

    agent, limits = new_agent(task), UsageLimits(request_limit=task.scenario.rounds)
    if task.scenario.stream:
        async with agent.run_stream_events(QUESTION, usage_limits=limits) as events:
            async for _ in events:
                pass
    else:
        await agent.run(QUESTION, usage_limits=limits)


def new_agent(task: Task):
    """The agent of a task, with its sub-agent behind a tool."""
    from pydantic_ai import Agent, ModelRetry
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("gpt-4o-mini", provider=OpenAIProvider(base_url=f"{task.url}/v1", api_key="none"))
    agent = Agent(model, name=task.agent, instructions=INSTRUCTIONS, retries=9)
    tools = dict(task.tools)
    if not task.scenario.raises:
        read_region = tools["read_region"]

        def retried(region: str) -> str:
            try:
                return str(read_region(region))
            except LookupError as error:
                raise ModelRetry(str(error)) from error

        tools["read_region"] = retried
    for name, tool in tools.items():
        agent.tool_plain(tool, name=name)
    if task.researcher is not None:
        agent.tool_plain(sub_agent(task.researcher))
    return agent


def sub_agent(task: Task):
    """A tool that asks another agent."""

    async def ask_researcher(question: str) -> str:
        """Ask the researcher."""
        return str((await new_agent(task).run(question)).output)

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play)
