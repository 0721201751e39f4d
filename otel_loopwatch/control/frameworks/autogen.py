"""AutoGen AgentChat: an ``AssistantAgent`` with a gate in front of its workbenches and of its model.

AutoGen has no hook that refuses a call, so workbenches and model client stand behind stand-ins. A halted run ends
cleanly: no tool runs any more, and the model is not asked again; the advice is its response. Where the agent would end
with the results of its tools, as it does after ``max_tool_iterations``, the advice takes their place. Nothing is
raised: a ``BaseException`` out of a tool makes AutoGen wait for ever.

What it cannot do: handoffs pass unseen, tools that stream give their result only, and each turn of an agent in a team
is a run of its own. With ``output_content_type`` the advice is no valid answer, and AutoGen raises a
``ValidationError`` that quotes it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import TextMessage, ToolCallSummaryMessage
from autogen_core.models import CreateResult, RequestUsage
from autogen_core.tools import TextResultContent, ToolResult

from otel_loopwatch.control.gate import Gate, GatedRun

_RUN: ContextVar[GatedRun | None] = ContextVar("loopwatch_autogen_run", default=None)
"""The run under way; set only while the agent works, so that streams read in turns are kept apart."""


class GatedAssistantAgent(AssistantAgent):  # type: ignore[misc]
    """An ``AssistantAgent`` behind a gate; ``others`` are the arguments of ``AssistantAgent``. Raises nothing more."""

    def __init__(self, gate: Gate, name: str, model_client: Any, **others: Any) -> None:
        super().__init__(name, _GatedModel(model_client), **others)
        self._gate = gate
        self._workbench: list[Any] = [_GatedWorkbench(bench) for bench in self._workbench]

    async def on_messages_stream(self, messages: Any, cancellation_token: Any) -> AsyncGenerator[Any, None]:
        """One run; every way to run the agent comes here."""
        run = self._gate.run(f"autogen-{uuid4().hex}", self.name)
        try:
            async for item in _within(run, super().on_messages_stream(messages, cancellation_token)):
                yield self._last_words(run, item)
        finally:
            run.end()

    def _last_words(self, run: GatedRun, item: Any) -> Any:
        """The item, or the advice where a halted run would end with the results of its tools."""
        if not (run.halted and isinstance(item, Response) and isinstance(item.chat_message, ToolCallSummaryMessage)):
            return item
        words = TextMessage(content=run.farewell, source=self.name)
        return Response(chat_message=words, inner_messages=item.inner_messages)


async def _within(run: GatedRun, stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
    while True:
        token = _RUN.set(run)
        try:
            item = await stream.__anext__()
        except StopAsyncIteration:
            return
        finally:
            _RUN.reset(token)
        yield item


class _Behind:
    """All else is the inner one's."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _GatedModel(_Behind):
    async def create(self, messages: Any, **others: Any) -> Any:
        """The model's response, or the advice."""
        return _advice() or await self._inner.create(messages, **others)

    async def create_stream(self, messages: Any, **others: Any) -> AsyncGenerator[Any, None]:
        """The same in pieces."""
        advice = _advice()
        if advice is not None:
            yield advice
            return
        async for piece in self._inner.create_stream(messages, **others):
            yield piece


class _GatedWorkbench(_Behind):
    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: Any = None,
        call_id: str | None = None,
    ) -> Any:
        """The tool's result, with a note at its end where there is one, or a refusal."""
        run = _RUN.get()
        if run is None:
            return await self._inner.call_tool(name, arguments, cancellation_token, call_id)
        passing = run.before(name, arguments or {}, call_id)
        if passing.refused:
            return ToolResult(name=name, result=[TextResultContent(content=passing.message)], is_error=True)
        try:
            result = await self._inner.call_tool(name, arguments, cancellation_token, call_id)
        except Exception as error:
            run.after(passing, error=error)
            raise
        said = result.to_text()
        note = run.after(passing, error=said or "error") if result.is_error else run.after(passing, said)
        return result if note is None else _noted(result, note)


def _noted(result: Any, note: str) -> Any:
    return result.model_copy(update={"result": [*result.result, TextResultContent(content=note)]})


def _advice() -> Any:
    """The last response of a halted run."""
    run = _RUN.get()
    if run is None or run.before_model() is None:
        return None
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    return CreateResult(finish_reason="stop", content=run.farewell, usage=usage, cached=False)
