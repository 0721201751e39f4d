"""LangChain and LangGraph: a middleware of ``create_agent``.

``wrap_tool_call`` stands in the way of each tool, ``before_model`` tells the responses apart and ends a halted run by
``jump_to``, ``before_agent`` and ``after_agent`` are the run's start and end. A halted run ends cleanly, with the
advice as its last message; until the model would be asked again, its tools are refused. What it cannot do: a run that
an exception ended is not counted as ended, since ``after_agent`` is skipped; and of a tool that answers with a
``Command`` only the call is known, not the result, and no note is added to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, ToolCallRequest, hook_config
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import NotRequired

from otel_loopwatch import notes
from otel_loopwatch.control.gate import Gate, GatedRun, Passing

Answer: TypeAlias = ToolMessage | Command[Any]


class GatedState(AgentState[Any]):  # type: ignore[misc]
    """The state of an agent, and the key of its run. It survives an interrupt, and each invocation has its own."""

    loopwatch_run: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type]


class LoopwatchMiddleware(AgentMiddleware[GatedState, Any, Any]):  # type: ignore[misc]
    """Puts ``gate`` in the way of an agent's tools; ``agent`` is the name that per-agent policies go by."""

    state_schema = GatedState

    def __init__(self, gate: Gate, agent: str | None = None) -> None:
        super().__init__()
        self.gate = gate
        self.agent = agent

    def before_agent(self, state: GatedState, runtime: Runtime[Any]) -> dict[str, Any]:
        """A run of its own for each invocation, also on the same thread."""
        return {"loopwatch_run": uuid4().hex}

    @hook_config(can_jump_to=["end"])  # type: ignore[untyped-decorator]
    def before_model(self, state: GatedState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The tools of the response to come are siblings; a halted run ends here."""
        run = self._run(state)
        run.before_model()
        return {"jump_to": "end", "messages": [AIMessage(run.farewell)]} if run.halted else None

    def after_agent(self, state: GatedState, runtime: Runtime[Any]) -> None:
        """The run ended, halted or not."""
        self._run(state).end()

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]) -> Answer:
        """Execute the call, or answer in its place."""
        run, passing = self._passing(request)
        if passing.refused:
            return _refusal(request, passing)
        try:
            return _told(run, passing, handler(request))
        except Exception as error:
            _failed(run, passing, error)
            raise

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        """The same for asynchronous tools."""
        run, passing = self._passing(request)
        if passing.refused:
            return _refusal(request, passing)
        try:
            return _told(run, passing, await handler(request))
        except Exception as error:
            _failed(run, passing, error)
            raise

    def _run(self, state: Any) -> GatedRun:
        return self.gate.run(state["loopwatch_run"], self.agent)

    def _passing(self, request: ToolCallRequest) -> tuple[GatedRun, Passing]:
        call, run = request.tool_call, self._run(request.state)
        return run, run.before(call["name"], call["args"], call["id"])


def _refusal(request: ToolCallRequest, passing: Passing) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(passing.message, tool_call_id=call["id"], name=call["name"], status="error")


def _told(run: GatedRun, passing: Passing, answer: Answer) -> Answer:
    """The answer, with a note at its end where there is one."""
    if not isinstance(answer, ToolMessage):
        run.after(passing)
        return answer
    failed = answer.status == "error"
    note = run.after(passing, None if failed else answer.content, answer.content if failed else None)
    if note is None:
        return answer
    blocks = isinstance(answer.content, list)
    content = [*answer.content, {"type": "text", "text": note}] if blocks else notes.added(answer.content, note)
    return answer.model_copy(update={"content": content})


def _failed(run: GatedRun, passing: Passing, error: Exception) -> None:
    """An interrupt is no failure: the tool is run again when the graph is resumed."""
    if not isinstance(error, GraphBubbleUp):
        run.after(passing, error=error)
