"""From model spans to turns, and to the calls that only their messages tell of."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from otel_loopwatch.dialects import CallContent, Role, TurnContent
from otel_loopwatch.model import ModelTurn, ToolCall
from otel_loopwatch.spans import Span
from otel_loopwatch.tracker.conversations import Conversations
from otel_loopwatch.tracker.events import Reader
from otel_loopwatch.tracker.merge import Heard
from otel_loopwatch.tracker.message_calls import MessageCalls
from otel_loopwatch.tracker.messages import MAX_ASKED, Response
from otel_loopwatch.tracker.runs import Run, Runs, trace_key
from otel_loopwatch.tracker.scope import in_model, mark_models
from otel_loopwatch.tracker.tree import Node, Trace
from otel_loopwatch.tracker.twins import Twins


class Who(NamedTuple):
    """The agent that asks, and in which of the user's turns."""

    agent: str | None
    user_turn: int | None = None


class Responses:
    """Turns ended model spans into turns and calls."""

    def __init__(self, reader: Reader, runs: Runs, calls: MessageCalls, skipped: Counter[str]) -> None:
        self._reader = reader
        self._runs = runs
        self._calls = calls
        self._skipped = skipped
        self._conversations = Conversations(runs)
        self._twins = Twins()
        self.number = 0
        """Model spans that ended, without those around other model spans."""

    def ended(self, trace: Trace, node: Node, span: Span, turn: TurnContent) -> list[ModelTurn | ToolCall]:
        """A model span ended."""
        if not node.models:
            self.number += 1
        if turn.calls:
            trace.request(call.tool for call in turn.calls)
        if is_alone(trace, node):
            return self._alone(trace, node, span, turn)
        mark_models(trace, node.parent, self._reader)
        run = self._runs.of(trace, node, turn.conversation, turn.agent, span.end_ns)
        who = Who(turn.agent or self._runs.agent_of(run, trace, node), self._runs.user_turn(run, trace, node))
        return self._taken(trace, node, run, span, turn, who)

    def _alone(self, trace: Trace, node: Node, span: Span, turn: TurnContent) -> list[ModelTurn | ToolCall]:
        """A request in a trace of its own. Without calls in its messages it is no part of a run."""
        run = self._conversation(trace, node, span, turn)
        if run is None:
            return []
        outer = in_model(trace, node.parent)
        if outer is not None:
            outer.models += 1
        return self._taken(trace, node, run, span, turn, Who(turn.agent))

    def _conversation(self, trace: Trace, node: Node, span: Span, turn: TurnContent) -> Run | None:
        """The run that a lone request continues; a new one if there are calls in its messages."""
        key = self._runs.key_of(trace, node, turn.conversation) or self._conversations.of(turn, span.end_ns)
        if key is None and not turn.calls and not turn.history:
            return None
        run = self._runs.keep(key or trace_key(trace.trace_id), span.end_ns)
        self._conversations.own(run.key, turn)
        if key is None:
            self._calls.asked(run, _response(span, turn, None, Who(turn.agent)), turn.history[-MAX_ASKED:])
        return run

    def _taken(
        self, trace: Trace, node: Node, run: Run, span: Span, turn: TurnContent, who: Who
    ) -> list[ModelTurn | ToolCall]:
        """What the request tells of earlier calls, the response itself, and the calls it asks for."""
        told: list[ModelTurn | ToolCall] = []
        if not trace.has_tools:
            told += self._calls.heard(run, span, turn)
        if not node.models:
            told += self._answered(trace, run, span, turn)
        if not trace.has_tools and turn.calls:
            told += self._calls.asked(run, _response(span, turn, run.turns.number, who), turn.calls)
        return told

    def _answered(self, trace: Trace, run: Run, span: Span, turn: TurnContent) -> list[ModelTurn]:
        run.turns.answered(span.end_ns, turn.tokens)
        if trace.shadow or self._is_twin(span, turn):
            self._skipped["duplicate"] += 1
            return []
        return [
            ModelTurn(
                run=run.key,
                start_ns=span.start_ns,
                end_ns=span.end_ns,
                tokens=turn.tokens,
                scope_span_id=run.scope_span_id,
            )
        ]

    def _is_twin(self, span: Span, turn: TurnContent) -> bool:
        """Whether another instrumentation told this response: at the same time, with as many tokens."""
        response = CallContent(tool="", dialect=turn.dialect, arguments=turn.tokens)
        heard = Heard(response, span.span_id, span.start_ns, span.end_ns, span.scope, span.service)
        return turn.tokens > 0 and self._twins.is_twin(heard, lone=False)


def is_alone(trace: Trace, node: Node) -> bool:
    """Whether nothing encloses a model span but other model spans, and nothing of an agent was seen in its trace."""
    if trace.has_tools or trace.alive:
        return False
    top = trace.link(trace.root_above(node.span_id))
    return isinstance(top, Node) and top.role is Role.MODEL


def _response(span: Span, turn: TurnContent, batch: int | None, who: Who) -> Response:
    return Response(span.trace_id, span.span_id, span.end_ns, batch, who.user_turn, who.agent, turn.dialect)
