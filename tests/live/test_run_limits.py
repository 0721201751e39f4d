"""Runs that a framework's own limit ended, with spans as frameworks and their instrumentations write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import pytest
from live_agent import Rig, rig
from opentelemetry.trace import Status, StatusCode, set_span_in_context, use_span

from otel_loopwatch.dialects import Limit
from otel_loopwatch.telemetry import names


class GraphRecursionError(RecursionError):
    """LangGraph's."""


class UsageLimitExceeded(RuntimeError):
    """Pydantic AI's."""


class LlmCallsLimitExceededError(Exception):
    """Google ADK's."""


class WorkflowRuntimeError(Exception):
    """LlamaIndex's."""


REQUESTS = "The next request would exceed the request_limit of 5. Consider raising the limit"
TURNS = "{'message': 'Max turns exceeded', 'data': {'max_turns': 5}}"


@contextmanager
def opaque(bench: Rig, name: str, **at_end: Any) -> Iterator[None]:
    """A span that says what it is only when it ends, whether or not it fails."""
    span = bench.provider.get_tracer("instrumentation").start_span(name)
    try:
        with use_span(span):
            yield
    finally:
        span.set_attributes(at_end)
        span.end()


def work(bench: Rig) -> None:
    """Calls that differ."""
    for page in "abc":
        bench.call("read_page", f'{{"page": "{page}"}}', f"Page {page} tells of other things")


def langgraph(bench: Rig) -> None:
    """OpenInference for LangChain: the root tells at its end that it is an agent."""
    tracer = bench.provider.get_tracer("openinference.instrumentation.langchain")
    root = tracer.start_span("support_agent")
    with use_span(root):
        for page in "abc":
            with opaque(bench, "tools", **{"openinference.span.kind": "CHAIN"}):
                bench.call("read_page", f'{{"page": "{page}"}}', f"Page {page} tells of other things")
    root.set_attribute("openinference.span.kind", "AGENT")
    root.record_exception(GraphRecursionError("Recursion limit of 12 reached without hitting a stop condition."))
    root.set_status(Status(StatusCode.ERROR, "GraphRecursionError('Recursion limit of 12 reached')Traceback"))
    root.end()


def openai_agents(bench: Rig) -> None:
    """OpenLLMetry for OpenAI Agents: tools beside the agent's span, under the workflow's; the failure has no type."""
    tracer = bench.provider.get_tracer("opentelemetry.instrumentation.openai_agents")
    workflow = tracer.start_span("Agent Workflow", attributes={"traceloop.span.kind": "workflow"})
    below = set_span_in_context(workflow)
    kind = {"traceloop.span.kind": "agent", "gen_ai.agent.name": "support_agent"}
    agent = tracer.start_span("support_agent.agent", context=below, attributes=kind)
    with use_span(workflow):
        work(bench)
    agent.set_status(Status(StatusCode.ERROR, TURNS))
    agent.end()
    workflow.end()


def pydantic_ai(bench: Rig) -> None:
    """Pydantic AI: the exception leaves the agent's span."""
    with suppress(UsageLimitExceeded), bench.agent():
        work(bench)
        raise UsageLimitExceeded(REQUESTS)


def google_adk(bench: Rig) -> None:
    """Google ADK, first schema: from the model's span up to the root."""
    tracer = bench.provider.get_tracer("gcp.vertex.agent")
    with suppress(LlmCallsLimitExceededError), tracer.start_as_current_span("invocation"), bench.agent():
        work(bench)
        with tracer.start_as_current_span("call_llm"):
            raise LlmCallsLimitExceededError("Max number of llm calls limit of `5` exceeded")


def llama_index(bench: Rig) -> None:
    """OpenInference for LlamaIndex: no span is an agent's, and one error stands for all that breaks."""
    with suppress(WorkflowRuntimeError), opaque(bench, "run", **{"openinference.span.kind": "CHAIN"}):
        work(bench)
        raise WorkflowRuntimeError("Max iterations of 4 reached! Either something went wrong, or you can increase")


def strands(bench: Rig) -> None:
    """Strands: nothing failed, and an event says why the agent finished."""
    with bench.agent() as span:
        work(bench)
        span.add_event("gen_ai.choice", {"message": "", "finish_reason": "limit_turns"})


class Played(NamedTuple):
    """A framework's run, the limit that ended it, and the span it lives in."""

    framework: Callable[[Rig], None]
    limit: Limit
    home: str


PLAYED = [
    Played(langgraph, Limit.RECURSION_LIMIT, "support_agent"),
    Played(openai_agents, Limit.MAX_TURNS, "support_agent.agent"),
    Played(pydantic_ai, Limit.REQUEST_LIMIT, "invoke_agent"),
    Played(google_adk, Limit.REQUEST_LIMIT, "invoke_agent"),
    Played(llama_index, Limit.MAX_ITERATIONS, "run"),
    Played(strands, Limit.MAX_TURNS, "invoke_agent"),
]


def marks(bench: Rig, home: str) -> tuple[Any, Any]:
    """Status and limit on the span of a run."""
    attributes = bench.spans(home)[0].attributes or {}
    return attributes.get(names.RUN_STATUS), attributes.get(names.RUN_LIMIT)


def ended(bench: Rig) -> dict[tuple[str, ...], float]:
    """Runs that ended: limit and status, or the status alone."""
    return bench.counts(names.RUN_ENDED.name)


@pytest.mark.parametrize("played", PLAYED, ids=lambda played: played.framework.__name__)
def test_a_run_that_a_limit_ended_says_which(played: Played) -> None:
    """On its span and in the count of ended runs."""
    bench = rig()
    played.framework(bench)
    assert marks(bench, played.home) == ("limit_reached", played.limit.value)
    assert ended(bench) == {(played.limit.value, "limit_reached"): 1}
    assert bench.counts(names.PROCESSOR_FAILURES.name) == {}


@pytest.mark.parametrize("content", ["digest", "drop"])
def test_content_that_is_withheld_tells_the_limit_first(content: str) -> None:
    """The message that names the limit is read before it is taken off."""
    bench = rig(content=content)
    pydantic_ai(bench)
    assert marks(bench, "invoke_agent") == ("limit_reached", "request_limit")
    assert REQUESTS not in str([(event.attributes or {}) for event in bench.spans("invoke_agent")[0].events])


def test_a_limit_counts_before_the_loop_it_cut_short() -> None:
    """The loop is on the span all the same."""
    bench = rig()
    with suppress(UsageLimitExceeded), bench.agent():
        for _ in range(6):
            bench.call()
        raise UsageLimitExceeded(REQUESTS)
    assert marks(bench, "invoke_agent") == ("limit_reached", "request_limit")
    assert (bench.spans("invoke_agent")[0].attributes or {})[names.LOOP_DETECTED] is True


def test_a_halted_run_stays_halted() -> None:
    """Whatever limit it meets on its way out."""
    bench = rig(control_hook="halt")
    with suppress(UsageLimitExceeded), bench.agent():
        for _ in range(9):
            bench.call()
        raise UsageLimitExceeded(REQUESTS)
    assert marks(bench, "invoke_agent") == ("halted", None)
    assert ended(bench) == {("halted",): 1}


def test_a_run_that_goes_on_after_a_limit_is_judged_by_its_end() -> None:
    """An application may catch what a graph raises, and try another way."""
    bench = rig()
    with bench.agent():
        work(bench)
        with suppress(GraphRecursionError), opaque(bench, "graph"):
            raise GraphRecursionError("Recursion limit of 9 reached without hitting a stop condition.")
        bench.call("ask_a_person", "{}", "They can be returned")
    assert marks(bench, "invoke_agent") == ("clean", None)


def test_a_limit_that_the_agent_catches_at_its_end_ended_it() -> None:
    """The agent's own span looks fine: the graph below it told."""
    bench = rig()
    with bench.agent(), suppress(GraphRecursionError), opaque(bench, "graph"):
        work(bench)
        raise GraphRecursionError("Recursion limit of 9 reached without hitting a stop condition.")
    assert marks(bench, "invoke_agent") == ("limit_reached", "recursion_limit")


def test_a_sub_agents_limit_is_its_own() -> None:
    """The outer agent is told, and goes on."""
    bench = rig()
    with bench.agent():
        outer = bench.start_call("ask_researcher", "{}")
        with use_span(outer), suppress(UsageLimitExceeded), bench.agent("researcher"):
            work(bench)
            raise UsageLimitExceeded(REQUESTS)
        outer.end()
    assert marks(bench, "invoke_agent researcher") == ("limit_reached", "request_limit")
    assert marks(bench, "invoke_agent support") == ("clean", None)
    assert ended(bench) == {("clean",): 1, ("request_limit", "limit_reached"): 1}


def test_a_conversations_turn_says_that_a_limit_ended_it() -> None:
    """With runs keyed by conversation the run goes on, and this span of it does not."""
    bench = rig(run_key="conversation")
    with suppress(UsageLimitExceeded), bench.agent(**{"gen_ai.conversation.id": "c"}):
        work(bench)
        raise UsageLimitExceeded(REQUESTS)
    assert marks(bench, "invoke_agent") == ("limit_reached", "request_limit")
    assert ended(bench) == {}


def test_a_failed_request_of_the_application_is_no_limit() -> None:
    """Ordinary spans are not read, whatever they recorded."""
    bench = rig()
    with bench.agent():
        work(bench)
        tracer = bench.provider.get_tracer("opentelemetry.instrumentation.httpx")
        with suppress(GraphRecursionError), tracer.start_as_current_span("GET"):
            raise GraphRecursionError("Recursion limit of 9 reached without hitting a stop condition.")
    assert marks(bench, "invoke_agent") == ("clean", None)
