"""Microsoft Agent Framework: middleware that puts a gate into the way of an agent's tools.

The function middleware refuses a call by a result of its own, and adds a note to a tool's. The chat middleware ends a
halted run cleanly: in place of the model's next response it gives the advice, as an answer that calls nothing.
``MiddlewareTermination`` would end it too, but with an empty text, and after the calls beside it had run.

A tool's exception goes on as it was; the framework writes the model's message about it, so it carries no note. Not
seen: tools that the model's service runs itself, and a tool's ``invoke`` called by the application.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from agent_framework import (
    AgentContext,
    AgentMiddleware,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationContext,
    FunctionMiddleware,
    Message,
    ResponseStream,
)
from agent_framework.exceptions import MiddlewareException, UserInputRequiredException

from otel_loopwatch.control.gate import Gate, GatedRun
from otel_loopwatch.notes import added

Next = Callable[[], Awaitable[None]]

_current: ContextVar[GatedRun | None] = ContextVar("otel_loopwatch_run", default=None)
"""The run of the agent that is at work here."""


def loopwatch_middleware(gate: Gate) -> list[Any]:
    """For ``Agent(middleware=loopwatch_middleware(gate))``: all three, for any number of agents. They raise nothing."""
    return [_Runs(gate), _Responses(), _Calls()]


class _Runs(AgentMiddleware):  # type: ignore[misc]
    """Begins and ends the runs: each ``run()`` of an agent is one."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    async def process(self, context: AgentContext, call_next: Next) -> None:
        """A stream works while it is pulled, and ends when it is used up; one that is left lying makes room in time."""
        run = self.gate.run(f"agent-framework-{uuid4().hex}", context.agent.name)
        try:
            with _within(run):
                await call_next()
        finally:
            if not context.stream:
                run.end()
        if isinstance(context.result, ResponseStream):
            context.result.with_pull_context_manager(lambda: _within(run)).with_cleanup_hook(run.end)


class _Responses(ChatMiddleware):  # type: ignore[misc]
    """Answers in the place of the model, once the run is halted."""

    async def process(self, context: ChatContext, call_next: Next) -> None:
        """One request to the model."""
        run = _current.get()
        if run is None or run.before_model() is None:
            await call_next()
        elif context.stream:
            context.result = ResponseStream(_streamed(run.farewell), finalizer=ChatResponse.from_updates)
        else:
            context.result = ChatResponse(messages=[Message(role="assistant", contents=[run.farewell])])


class _Calls(FunctionMiddleware):  # type: ignore[misc]
    """Has every tool call pass the gate."""

    async def process(self, context: FunctionInvocationContext, call_next: Next) -> None:
        """One call."""
        run = _current.get()
        if run is None:
            await call_next()
            return
        passing = run.before(context.function.name, _values(context.arguments), context.metadata.get("call_id"))
        if passing.refused:
            context.result = passing.message
            return
        try:
            await call_next()
        except (MiddlewareException, UserInputRequiredException):
            raise  # no failure of the tool
        except Exception as error:
            run.after(passing, error=error)
            raise
        note = run.after(passing, _said(context.result))
        if note is not None:
            context.result = _noted(context.result, note)


@contextmanager
def _within(run: GatedRun) -> Iterator[None]:
    around = _current.get()
    _current.set(run)
    try:
        yield
    finally:
        _current.set(around)  # a token's reset raises where a stream is pulled in several contexts


async def _streamed(text: str) -> AsyncIterator[ChatResponseUpdate]:
    yield ChatResponseUpdate(role="assistant", contents=[Content.from_text(text)])


def _values(arguments: Any) -> Any:
    """Arguments come as a mapping or as a Pydantic model."""
    return arguments.model_dump() if hasattr(arguments, "model_dump") else arguments


def _said(result: Any) -> Any:
    """What a tool answered: text where it is nothing but text."""
    if not isinstance(result, list):
        return result
    if all(isinstance(item, Content) and item.type == "text" for item in result):
        return "\n".join(item.text for item in result)
    return [item.to_dict() if isinstance(item, Content) else item for item in result]


def _noted(result: Any, note: str) -> Any:
    """Only text and lists of contents reach the model as they are; all else as its text."""
    return [*result, Content.from_text(note)] if isinstance(result, list) else added(str(result), note)
