"""From model spans to turns, and to the calls that only their messages tell of."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator

from otel_loopwatch.dialects import CallContent, MessageCall, MessageResult, Role, TurnContent
from otel_loopwatch.model import ModelTurn, ToolCall
from otel_loopwatch.spans import Span
from otel_loopwatch.tracker.calls import Calls
from otel_loopwatch.tracker.events import Reader
from otel_loopwatch.tracker.merge import Heard
from otel_loopwatch.tracker.messages import MAX_ASKED, Answered, Asked, Messages
from otel_loopwatch.tracker.runs import Run, Runs, trace_key
from otel_loopwatch.tracker.scope import in_model, mark_models
from otel_loopwatch.tracker.tree import Node, Trace
from otel_loopwatch.tracker.twins import Twins

MAX_OWNERS = 10_000
"""Call ids whose conversation is remembered."""


class Responses:
    """Turns ended model spans into turns and message calls."""

    def __init__(self, reader: Reader, runs: Runs, calls: Calls, skipped: Counter[str]) -> None:
        self._reader = reader
        self._runs = runs
        self._calls = calls
        self._skipped = skipped
        self._twins = Twins()
        self._owners: OrderedDict[str, str] = OrderedDict()

    def ended(self, trace: Trace, node: Node, span: Span, turn: TurnContent) -> list[ModelTurn | ToolCall]:
        """A model span ended."""
        if turn.calls:
            trace.request(call.tool for call in turn.calls)
        if is_alone(trace, node):
            return self._alone(trace, node, span, turn)
        mark_models(trace, node.parent, self._reader)
        run = self._runs.of(trace, node, turn.conversation, turn.agent, span.end_ns)
        return self._taken(trace, node, run, span, turn)

    def _alone(self, trace: Trace, node: Node, span: Span, turn: TurnContent) -> list[ModelTurn | ToolCall]:
        """A request in a trace of its own. Without calls in its messages it is no part of a run."""
        run = self._conversation(trace, node, span, turn)
        if run is None:
            return []
        outer = in_model(trace, node.parent)
        if outer is not None:
            outer.models += 1
        return self._taken(trace, node, run, span, turn)

    def _taken(self, trace: Trace, node: Node, run: Run, span: Span, turn: TurnContent) -> list[ModelTurn | ToolCall]:
        """What the request tells of earlier calls, then the response."""
        told: list[ModelTurn | ToolCall] = []
        if not trace.has_tools:
            told += self._heard(run, span, turn)
        if not node.models:
            told += self._answered(trace, run, span, turn)
        if not trace.has_tools:
            told += self._asked(run, span, turn.calls, run.turns.number, turn)
        return told

    def _answered(self, trace: Trace, run: Run, span: Span, turn: TurnContent) -> list[ModelTurn]:
        run.turns.answered(span.end_ns, turn.tokens)
        if trace.shadow or self._is_twin(span, turn):
            self._skipped["duplicate"] += 1
            return []
        return [ModelTurn(run=run.key, start_ns=span.start_ns, end_ns=span.end_ns, tokens=turn.tokens)]

    def _is_twin(self, span: Span, turn: TurnContent) -> bool:
        """Whether another instrumentation told this response: at the same time, with as many tokens."""
        response = CallContent(tool="", dialect=turn.dialect, arguments=turn.tokens)
        heard = Heard(response, span.span_id, span.start_ns, span.end_ns, span.scope)
        return turn.tokens > 0 and self._twins.is_twin(heard, lone=False)

    def _heard(self, run: Run, span: Span, turn: TurnContent) -> list[ToolCall]:
        return self._told(run, _messages(run).hear(turn.results), turn, span) if turn.results else []

    def _asked(
        self, run: Run, span: Span, calls: Iterable[MessageCall], batch: int | None, turn: TurnContent
    ) -> list[ToolCall]:
        told = []
        for call in calls:
            asked = Asked(call, span.end_ns, span.span_id, span.trace_id, batch, run.turns.charge())
            overdue = _messages(run).ask(asked)
            if overdue is not None:
                told += self._told(run, [Answered(overdue, None)], turn, None)
        return told

    def _told(self, run: Run, answered: Iterable[Answered], turn: TurnContent, span: Span | None) -> list[ToolCall]:
        told = (self._calls.from_messages(run, *_message(each, turn, span)) for each in answered)
        return [call for call in told if call is not None]

    def unanswered(self, run: Run) -> list[ToolCall]:
        """Calls of a run whose results never came."""
        if run.messages is None:
            return []
        return self._told(run, run.messages.rest(), TurnContent(), None)

    def _conversation(self, trace: Trace, node: Node, span: Span, turn: TurnContent) -> Run | None:
        """The run that a request continues, known by the call ids in its history; a new one if it asks for calls."""
        key = self._runs.key_of(trace, node, turn.conversation)
        if key is None:
            key = self._owner(turn, span.end_ns)
        if key is None and not turn.calls and not turn.history:
            return None
        known = key is not None
        run = self._runs.keep(key if key is not None else trace_key(trace.trace_id), span.end_ns)
        self._own(run.key, turn)
        if not known:
            self._asked(run, span, turn.history[-MAX_ASKED:], None, turn)
        return run

    def _owner(self, turn: TurnContent, now_ns: int) -> str | None:
        """The run whose calls the request repeats, or that waits for the very calls it asks for."""
        for call_id in _call_ids(turn.history, turn.results):
            if call_id in self._owners:
                return self._owners[call_id]
        for call in turn.calls:
            key = self._owners.get(call.call_id or "")
            run = self._runs.keyed.get(key, now_ns) if key is not None else None
            if run is not None and run.messages is not None and run.messages.waits_for(call.call_id):
                return key
        return None

    def _own(self, key: str, turn: TurnContent) -> None:
        for call_id in _call_ids(turn.history, turn.results, turn.calls):
            self._owners[call_id] = key
            self._owners.move_to_end(call_id)
        while len(self._owners) > MAX_OWNERS:
            self._owners.popitem(last=False)


def is_alone(trace: Trace, node: Node) -> bool:
    """Whether nothing encloses a model span but other model spans, and nothing of an agent was seen in its trace."""
    if trace.has_tools or trace.alive:
        return False
    top = trace.link(trace.root_above(node.span_id))
    return isinstance(top, Node) and top.role is Role.MODEL


def _messages(run: Run) -> Messages:
    if run.messages is None:
        run.messages = Messages()
    return run.messages


def _call_ids(*messages: Iterable[MessageCall | MessageResult]) -> Iterator[str]:
    """Ids of the latest messages of each sort."""
    return (told.call_id for group in messages for told in tuple(group)[-MAX_ASKED:] if told.call_id is not None)


def _message(answered: Answered, turn: TurnContent, span: Span | None) -> tuple[Heard, int, int | None, int]:
    """A call as its messages told it, the trace, the batch and the tokens."""
    asked, result = answered
    content = CallContent(
        tool=asked.call.tool,
        dialect=turn.dialect,
        call_id=asked.call.call_id,
        arguments=asked.call.arguments,
        result=result.result if result is not None else None,
        failed=result.failed if result is not None else False,
        agent=turn.agent,
        conversation=turn.conversation,
    )
    if span is None:
        heard = Heard(content, asked.span_id, asked.asked_ns, asked.asked_ns, "")
        return heard, asked.trace_id, asked.batch, asked.tokens
    heard = Heard(content, span.span_id, asked.asked_ns, max(asked.asked_ns, span.start_ns), span.scope)
    return heard, span.trace_id, asked.batch, asked.tokens
