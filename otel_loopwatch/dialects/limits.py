"""Endings that a framework's own limit caused, told from the span that failed, or that says why it finished.

A limit is recognised by what is written nowhere else: the type of an exception, a finish reason, or the one sentence
where there is neither. Frameworks that end without a mark (docs/limits.md) cannot be told from runs that were done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypeVar

import msgspec

from otel_loopwatch.dialects import failures
from otel_loopwatch.dialects.dialect import OPERATION
from otel_loopwatch.dialects.values import text
from otel_loopwatch.spans import Span, SpanEvent
from otel_loopwatch.telemetry.names import OTHER

T = TypeVar("T")

MAX_OUTPUT_CHARS = 1_000_000
"""An agent's output that is longer is not searched for the reason it stopped."""


class Limit(str, Enum):
    """Limit of a framework that ended a run."""

    RECURSION_LIMIT = "recursion_limit"
    """Steps of a graph."""
    MAX_TURNS = "max_turns"
    """Turns of an agent."""
    MAX_STEPS = "max_steps"
    """Steps of an agent."""
    MAX_ITERATIONS = "max_iterations"
    """Rounds of an agent's workflow."""
    REQUEST_LIMIT = "request_limit"
    """Requests to the model."""
    TOOL_CALL_LIMIT = "tool_call_limit"
    """Tool calls."""
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - a label
    """Tokens of all requests together."""
    COST_LIMIT = "cost_limit"
    """Cost of all requests together."""
    USAGE_LIMIT = "usage_limit"
    """One of the last four; content that was not captured would say which."""


class Mark(NamedTuple):
    """How a limit is told from a failure."""

    error: str
    """Type of the error, without its module; empty where none is written."""
    limit: Limit
    says: str = ""
    """Pattern with which the message begins."""


EXCEEDED = "(?:The next request would exceed|Exceeded) the "

MARKS = (
    Mark("GraphRecursionError", Limit.RECURSION_LIMIT),  # LangGraph
    Mark("ToolCallLimitExceededError", Limit.TOOL_CALL_LIMIT),  # LangChain, ToolCallLimitMiddleware
    Mark("ModelCallLimitExceededError", Limit.REQUEST_LIMIT),  # LangChain, ModelCallLimitMiddleware
    Mark("LlmCallsLimitExceededError", Limit.REQUEST_LIMIT),  # Google ADK
    Mark("MaxTurnsExceeded", Limit.MAX_TURNS),  # OpenAI Agents, on spans around its own
    # On its own span OpenAI Agents puts a message and data (agents/run.py), which instrumentations write in two ways.
    Mark("", Limit.MAX_TURNS, r"Max turns exceeded: \{'max_turns': "),
    Mark("", Limit.MAX_TURNS, r"\{'message': 'Max turns exceeded', 'data': "),
    # LlamaIndex has one error for all that goes wrong in a workflow (llama_index/core/agent/workflow/base_agent.py).
    Mark("WorkflowRuntimeError", Limit.MAX_ITERATIONS, r"Max iterations of \d+ reached!"),
    # Pydantic AI has one error for all limits of usage (pydantic_ai/usage.py).
    Mark("UsageLimitExceeded", Limit.REQUEST_LIMIT, f"{EXCEEDED}request_limit of "),
    Mark("UsageLimitExceeded", Limit.TOOL_CALL_LIMIT, r"The next tool call\(s\) would exceed the tool_calls_limit of "),
    Mark("UsageLimitExceeded", Limit.TOKEN_LIMIT, rf"{EXCEEDED}\w+_tokens_limit of "),
    Mark("UsageLimitExceeded", Limit.COST_LIMIT, f"{EXCEEDED}`cost_limit` of "),
    Mark("UsageLimitExceeded", Limit.USAGE_LIMIT),
)
"""The first that fits counts."""

FINISHED = {
    "max_steps": Limit.MAX_STEPS,  # smolagents
    "max_agent_steps": Limit.MAX_STEPS,  # Haystack
    "limit_turns": Limit.MAX_TURNS,  # Strands, as the next two
    "limit_total_tokens": Limit.TOKEN_LIMIT,
    "limit_output_tokens": Limit.TOKEN_LIMIT,
}
"""Reasons for which an agent finished, as its own span says them."""

_UNTYPED = "Exception"
_REPRESENTED = re.compile(r"(\w+)\(['\"]")
"""LangSmith writes every error as an ``Exception`` whose message begins with the ``repr`` of the error."""


def _by_error(marks: Iterable[Mark]) -> Mapping[str, Sequence[tuple[re.Pattern[str], Limit]]]:
    found: dict[str, list[tuple[re.Pattern[str], Limit]]] = {}
    for mark in marks:
        found.setdefault(mark.error, []).append((re.compile(mark.says), mark.limit))
    return found


_BY_ERROR = _by_error(MARKS)


def limit_of(span: Span) -> Limit | None:
    """The limit that ended what an ended span stands for; ``None`` for every other end, and where nothing tells."""
    return _of_failure(span) or next(filter(None, map(FINISHED.get, _reasons(span))), None)


def _of_failure(span: Span) -> Limit | None:
    written = failures.error_type(span)
    if written is None and not span.failed:
        return None
    error, message = _bare(written), _message(span)
    if error == _UNTYPED and (represented := _REPRESENTED.match(message)):
        error, message = represented[1], message[represented.end() :]
    return next((limit for says, limit in _BY_ERROR.get(error, ()) if says.match(message)), None)


def _bare(error: str | None) -> str:
    return "" if error is None or error == OTHER else error.rpartition(".")[2]


def _message(span: Span) -> str:
    """The last exception's message; without one, the status text."""
    said = (text(event.attributes, "exception.message") for event in reversed(span.events))
    return next(filter(None, said), span.status_message)


def _reasons(span: Span) -> Iterator[str]:
    attributes = span.attributes
    if (output := _typed(attributes.get("haystack.agent.output"), _Output)) is not None:
        yield output.exit_reason
    if attributes.get(OPERATION) != "invoke_agent":
        return
    finished = attributes.get("gen_ai.response.finish_reasons")
    if isinstance(finished, (list, tuple)):
        yield from (reason for reason in finished if isinstance(reason, str))
    for event in span.events:
        yield from _reasons_of_event(event)


def _reasons_of_event(event: SpanEvent) -> Iterator[str]:
    """Strands, by the older and by the newest conventions."""
    if event.name == "gen_ai.choice":
        yield text(event.attributes, "finish_reason") or ""
    messages = _typed(event.attributes.get("gen_ai.output.messages"), list[_Message])
    yield from (message.finish_reason for message in messages or ())


class _Output(msgspec.Struct):
    exit_reason: str = ""


class _Message(msgspec.Struct):
    finish_reason: str = ""


def _typed(value: object, kind: type[T]) -> T | None:
    """A JSON text as what it must be; ``None`` where it is not, or is too long."""
    if not isinstance(value, str) or len(value) > MAX_OUTPUT_CHARS:
        return None
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
