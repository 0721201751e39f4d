"""The anthropic SDK's tool runner, which makes spans of its own."""

from __future__ import annotations

import watch
from scenarios import AGENT_SCENARIOS
from watch import INSTRUCTIONS, QUESTION, Task, Watch


def set_up(watching: Watch, _: str) -> None:
    """The SDK finds the global provider by itself."""
    watching.provider()


def play(task: Task) -> None:
    """Run the tool runner once. A tool's error always goes to the model."""
    run(task)


def run(task: Task) -> str:
    """The final answer."""
    from anthropic import Anthropic, beta_tool

    client = Anthropic(base_url=task.url, max_retries=0, api_key="none")
    tools = [beta_tool(tool) for tool in task.tools.values()]
    if task.researcher is not None:
        tools.append(beta_tool(sub_agent(task.researcher)))
    runner = client.beta.messages.tool_runner(
        model="claude-sonnet-4-5",
        max_tokens=100,
        system=INSTRUCTIONS,
        messages=[{"role": "user", "content": QUESTION}],
        tools=tools,
        max_iterations=task.scenario.rounds,
        stream=task.scenario.stream,
    )
    messages = (stream.get_final_message() for stream in runner) if task.scenario.stream else runner
    return str(getattr([*messages][-1].content[0], "text", ""))


def sub_agent(task: Task):
    """A tool that asks another agent."""

    def ask_researcher(question: str) -> str:
        """Ask the researcher.

        Args:
            question: What to find out.
        """
        return run(task)

    return ask_researcher


if __name__ == "__main__":
    watch.main(set_up, play, [name for name in AGENT_SCENARIOS if name != "uncaught"])
