"""From messages to calls: each once, when its result is first seen."""

from __future__ import annotations

from collections.abc import Iterable

from otel_loopwatch.dialects import CallContent, MessageCall, MessageResult, TurnContent
from otel_loopwatch.model import ToolCall
from otel_loopwatch.spans import Span
from otel_loopwatch.tracker.calls import Calls, Place
from otel_loopwatch.tracker.merge import Heard
from otel_loopwatch.tracker.messages import Answered, Asked, Messages, Response
from otel_loopwatch.tracker.runs import Run


class MessageCalls:
    """Turns what models asked for, and were told, into calls."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def heard(self, run: Run, request: Span, turn: TurnContent) -> list[ToolCall]:
        """Calls whose results a request tells for the first time."""
        if not turn.results:
            return []
        answered = _messages(run).hear(turn.results)
        return self._told(run, (_told_by(each, request) for each in answered))

    def asked(self, run: Run, response: Response, calls: Iterable[MessageCall]) -> list[ToolCall]:
        """A response asks for calls; returns those that have waited too long for their results."""
        overdue = (_messages(run).ask(Asked(call, response, run.turns.charge())) for call in calls)
        return self._told(run, (_never_told(asked) for asked in overdue if asked is not None))

    def unanswered(self, run: Run) -> list[ToolCall]:
        """Calls of a run whose results never came."""
        return self._told(run, map(_never_told, run.messages.rest())) if run.messages is not None else []

    def _told(self, run: Run, heard: Iterable[tuple[Heard, Place]]) -> list[ToolCall]:
        told = (self._calls.from_messages(run, *each) for each in heard)
        return [call for call in told if call is not None]


def _messages(run: Run) -> Messages:
    if run.messages is None:
        run.messages = Messages()
    return run.messages


def _told_by(answered: Answered, request: Span) -> tuple[Heard, Place]:
    """A call lies between the response that asked for it and the request that tells its result."""
    asked, result = answered
    start_ns = asked.response.end_ns
    heard = Heard(_content(asked, result), request.span_id, start_ns, max(start_ns, request.start_ns), request.scope)
    return heard, _place(asked, request.trace_id)


def _never_told(asked: Asked) -> tuple[Heard, Place]:
    response = asked.response
    heard = Heard(_content(asked, None), response.span_id, response.end_ns, response.end_ns, "")
    return heard, _place(asked, response.trace_id)


def _place(asked: Asked, trace_id: int) -> Place:
    return Place(trace_id, asked.response.batch, asked.response.user_turn, asked.tokens)


def _content(asked: Asked, result: MessageResult | None) -> CallContent:
    return CallContent(
        tool=asked.call.tool,
        dialect=asked.response.dialect,
        call_id=asked.call.call_id,
        arguments=asked.call.arguments,
        result=result.result if result is not None else None,
        failed=result is not None and result.failed,
        agent=asked.response.agent,
    )
