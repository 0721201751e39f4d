"""Spans as frameworks and their instrumentations ended them when a limit was reached, and their likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from otel_loopwatch.dialects import Limit, limit_of
from otel_loopwatch.dialects.limits import FINISHED, MARKS, MAX_OUTPUT_CHARS
from otel_loopwatch.spans import SpanData, SpanEvent

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support_agent"}
RECURSION = "Recursion limit of 12 reached without hitting a stop condition. You can increase the limit by setting"
TURNS = "{'message': 'Max turns exceeded', 'data': {'max_turns': 5}}"
ITERATIONS = "Max iterations of 4 reached! Either something went wrong, or you can increase the max iterations with"
REQUESTS = "The next request would exceed the request_limit of 5. Consider raising the limit"


class Ending(NamedTuple):
    """How a span ended."""

    case: str
    limit: Limit | None
    attributes: Mapping[str, Any] = {}
    events: Sequence[SpanEvent] = ()
    failed: bool = False
    status: str = ""

    @property
    def span(self) -> SpanData:
        """The span."""
        return SpanData(attributes=self.attributes, events=self.events, failed=self.failed, status_message=self.status)


def raised(kind: str, message: str = "") -> tuple[SpanEvent]:
    """The event of an exception; the message lacks where content is not captured."""
    said = {"exception.message": message} if message else {}
    return (SpanEvent("exception", {"exception.type": kind, **said}),)


def usage(message: str) -> tuple[SpanEvent]:
    """Pydantic AI's one exception for all limits."""
    return raised("pydantic_ai.exceptions.UsageLimitExceeded", message)


def finished(*reasons: str) -> dict[str, Any]:
    """An agent's span with its finish reasons."""
    return {**AGENT, "gen_ai.response.finish_reasons": reasons}


REACHED = [
    Ending(
        "LangGraph, OpenInference",
        Limit.RECURSION_LIMIT,
        {"openinference.span.kind": "AGENT"},
        raised("langgraph.errors.GraphRecursionError", RECURSION),
        failed=True,
        status=f"GraphRecursionError('{RECURSION}')Traceback (most recent call last): ...",
    ),
    Ending(
        "LangGraph, OTel GenAI",
        Limit.RECURSION_LIMIT,
        {**AGENT, "error.type": "langgraph.errors.GraphRecursionError"},
        failed=True,
        status=RECURSION,
    ),
    Ending(
        "LangGraph, OpenLLMetry",
        Limit.RECURSION_LIMIT,
        {"traceloop.span.kind": "workflow", "error.type": "GraphRecursionError"},
        raised("langgraph.errors.GraphRecursionError", RECURSION),
        failed=True,
        status=RECURSION,
    ),
    Ending(
        "LangGraph, LangSmith, status OK",
        Limit.RECURSION_LIMIT,
        {"langsmith.span.kind": "chain"},
        raised("Exception", f"GraphRecursionError('{RECURSION}')Traceback (most recent call last):\n ..."),
    ),
    Ending(
        "LangChain, tool calls",
        Limit.TOOL_CALL_LIMIT,
        {"error.type": "langchain.agents.middleware.tool_call_limit.ToolCallLimitExceededError"},
        failed=True,
    ),
    Ending(
        "LangChain, model calls, LangSmith",
        Limit.REQUEST_LIMIT,
        events=raised("Exception", "ModelCallLimitExceededError('Model call limits exceeded: run limit (4/4)')"),
        failed=True,
    ),
    Ending(
        "OpenAI Agents, OpenInference",
        Limit.MAX_TURNS,
        {"openinference.span.kind": "AGENT"},
        failed=True,
        status="Max turns exceeded: {'max_turns': 5}",
    ),
    Ending("OpenAI Agents, OpenLLMetry", Limit.MAX_TURNS, AGENT, failed=True, status=TURNS),
    Ending("OpenAI Agents, OTel GenAI", Limit.MAX_TURNS, {**AGENT, "error.type": "_OTHER"}, failed=True, status=TURNS),
    Ending(
        "OpenAI Agents, a span of the application",
        Limit.MAX_TURNS,
        events=raised("agents.exceptions.MaxTurnsExceeded", "Max turns (5) exceeded"),
        failed=True,
    ),
    Ending("Pydantic AI, requests", Limit.REQUEST_LIMIT, AGENT, usage(REQUESTS), failed=True),
    Ending(
        "Pydantic AI, tool calls",
        Limit.TOOL_CALL_LIMIT,
        AGENT,
        usage("The next tool call(s) would exceed the tool_calls_limit of 4 (tool_calls=5). Consider raising"),
        failed=True,
    ),
    Ending(
        "Pydantic AI, tokens",
        Limit.TOKEN_LIMIT,
        AGENT,
        usage("Exceeded the total_tokens_limit of 400 (total_tokens=480). Consider raising the limit"),
        failed=True,
    ),
    Ending(
        "Pydantic AI, tokens before a request",
        Limit.TOKEN_LIMIT,
        AGENT,
        usage("The next request would exceed the input_tokens_limit of 9 (input_tokens=10)"),
        failed=True,
    ),
    Ending(
        "Pydantic AI, cost",
        Limit.COST_LIMIT,
        AGENT,
        usage("Exceeded the `cost_limit` of 0.01 (`usage.cost`=Decimal('0.02'))"),
        failed=True,
    ),
    Ending("Pydantic AI, no content", Limit.USAGE_LIMIT, AGENT, usage(""), failed=True),
    Ending(
        "Google ADK, OpenInference, status OK",
        Limit.REQUEST_LIMIT,
        {"openinference.span.kind": "LLM"},
        raised("google.adk.agents.invocation_context.LlmCallsLimitExceededError", "Max number of llm calls limit of"),
    ),
    Ending(
        "LlamaIndex, OpenInference",
        Limit.MAX_ITERATIONS,
        {"openinference.span.kind": "CHAIN"},
        raised("workflows.errors.WorkflowRuntimeError", ITERATIONS),
        failed=True,
        status=f"WorkflowRuntimeError: {ITERATIONS}",
    ),
    Ending(
        "LlamaIndex, OTel GenAI",
        Limit.MAX_ITERATIONS,
        {**AGENT, "error.type": "workflows.errors.WorkflowRuntimeError"},
        failed=True,
        status=ITERATIONS,
    ),
    Ending("smolagents, OTel GenAI", Limit.MAX_STEPS, finished("max_steps")),
    Ending(
        "Strands, older events",
        Limit.MAX_TURNS,
        AGENT,
        (SpanEvent("gen_ai.choice", {"message": "", "finish_reason": "limit_turns"}),),
    ),
    Ending(
        "Strands, newest events",
        Limit.TOKEN_LIMIT,
        AGENT,
        (
            SpanEvent(
                "gen_ai.client.inference.operation.details",
                {"gen_ai.output.messages": '[{"role": "assistant", "finish_reason": "limit_total_tokens"}]'},
            ),
        ),
    ),
    Ending(
        "Haystack, its content",
        Limit.MAX_STEPS,
        {"haystack.agent.output": '{"messages": [], "step_count": 4, "exit_reason": "max_agent_steps"}'},
    ),
]

OTHER_ENDINGS = [
    Ending("a good end", None, finished("stop")),
    Ending("the model's own limit", None, finished("length", "max_tokens")),
    Ending("a reason in a text", None, {**AGENT, "gen_ai.response.finish_reasons": '["max_steps"]'}),
    Ending("a model's reason is no agent's", None, {"gen_ai.response.finish_reasons": ("max_steps",)}),
    Ending("a failure without words", None, AGENT, failed=True),
    Ending("another failure", None, AGENT, raised("TimeoutError", RECURSION), failed=True),
    Ending("a name within a name", None, AGENT, raised("app.MyGraphRecursionError"), failed=True),
    Ending("the word in a message", None, AGENT, raised("ValueError", "GraphRecursionError"), failed=True),
    Ending("a bare exception", None, AGENT, raised("Exception", "Max turns exceeded"), failed=True),
    Ending("what somebody says of turns", None, AGENT, failed=True, status="Max turns exceeded by the user"),
    Ending("a workflow that broke", None, AGENT, raised("WorkflowRuntimeError", f"Not {ITERATIONS}"), failed=True),
    Ending("Haystack, done", None, {"haystack.agent.output": '{"exit_reason": "text"}'}),
    Ending("Haystack, no reason", None, {"haystack.agent.output": '{"exit_reason": null}'}),
    Ending("Haystack, no JSON", None, {"haystack.agent.output": "{"}),
    Ending("Haystack, the last step as well", None, {"haystack.agent.max_steps": 4, "haystack.agent.steps_taken": 4}),
    Ending(
        "an output too long to be searched",
        None,
        {"haystack.agent.output": f'{{"exit_reason": "max_agent_steps", "x": "{"x" * MAX_OUTPUT_CHARS}"}}'},
    ),
]


@pytest.mark.parametrize("ending", REACHED, ids=lambda ending: ending.case)
def test_a_limit_is_told_from_the_span_as_it_is_written(ending: Ending) -> None:
    """By its exception, its finish reason, or its sentence."""
    assert limit_of(ending.span) is ending.limit


@pytest.mark.parametrize("ending", OTHER_ENDINGS, ids=lambda ending: ending.case)
def test_no_other_end_is_taken_for_a_limit(ending: Ending) -> None:
    """Nothing is guessed from words in free text, or from numbers that are also true of a run that was done."""
    assert limit_of(ending.span) is None


def test_every_limit_is_told_by_something() -> None:
    """A label that no span can give is none."""
    assert {mark.limit for mark in MARKS} | set(FINISHED.values()) == set(Limit)
