"""How to test an agent for loops. Run `pytest` here: the fixture `loopwatch` comes with otel-loopwatch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent import Message, answer

from otel_loopwatch.testing import Watch, recorded_results

STUCK = Path(__file__).with_name("stuck.jsonl")
TOOLS = {
    "read_order": lambda arguments: f"Order {arguments['order']}: one kettle, delivered on 2 May.",
    "search_policy": lambda arguments: "Books and kettles can be returned within thirty days.",
}


def sensible(messages: list[Message]) -> tuple[str, dict[str, Any]] | str:
    """A model that reads the order, looks for a policy, and listens to advice."""
    speaker, text = messages[-1]
    if speaker == "user":
        return "read_order", {"order": "A123"}
    if speaker == "system":
        return "No policy covers this item; a colleague will look into it."
    return f"Yes: {text}" if "can be returned" in text else ("search_policy", {"topic": "returning a kettle"})


def stubborn(messages: list[Message]) -> tuple[str, dict[str, Any]] | str:
    """The model of yesterday, which did not listen."""
    return sensible([message for message in messages if message[0] != "system"])


def recorded(tool: str) -> Any:
    """A tool that answers as it did in the recording, and keeps to its last answer."""
    answers = recorded_results(STUCK)

    def run(arguments: dict[str, Any]) -> str:
        said = answers[tool, json.dumps(arguments, sort_keys=True)]
        return said.pop(0) if len(said) > 1 else said[0]

    return run


def test_the_question_is_answered(loopwatch: Watch) -> None:
    """A loop would fail this test, and the message would say which calls went in circles, and why."""
    assert answer("Can order A123 be returned?", sensible, TOOLS).startswith("Yes")
    assert [call.tool for call in loopwatch.calls] == ["read_order", "search_policy"]


def test_yesterdays_stuck_run_now_ends(loopwatch: Watch) -> None:
    """The tools answer as in production yesterday. The loop begins, but the agent gets out of it in time."""
    loopwatch.expect(kind="identical", level="warning")
    said = answer(
        "Can order A123 be returned?",
        sensible,
        {"read_order": recorded("read_order"), "search_policy": recorded("search_policy")},
    )
    assert "a colleague" in said
    assert len(loopwatch.calls) <= 4


def test_the_stubborn_model_is_caught(loopwatch: Watch, tmp_path: Path) -> None:
    """How the recording was made: `content="keep"`, so that tools can answer from it; without, nothing can be read."""
    loopwatch.expect(kind="identical", level="critical", tool="search_policy")
    loopwatch.record(tmp_path / "stuck.jsonl", content="keep")
    nothing = {**TOOLS, "search_policy": lambda arguments: "No policy covers kettles. Known topics: books, clothing."}
    assert answer("Can order A123 be returned?", stubborn, nothing) == "I could not find out."


def test_the_recording_is_still_recognised() -> None:
    """In CI without Python: `otel-loopwatch replay stuck.jsonl --fail-on critical` ends with 1."""
    from otel_loopwatch.cli import main

    assert main(["replay", str(STUCK), "--fail-on", "critical"]) == 1
