"""Small span trees of our own making, read by a reader as simple as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from otel_loopwatch.dialects import AgentInfo, CallContent, MessageCall, MessageResult, Role, TurnContent
from otel_loopwatch.model import ModelTurn, ToolCall
from otel_loopwatch.spans import Span, SpanData, SpanEvent
from otel_loopwatch.tracker import Reader, RunEnded, Tracked, Tracker, replay

TRACE = 7


@dataclass(frozen=True)
class Sketch:
    """A span and those beneath it; times are given, or follow from the order of writing."""

    role: str
    name: str
    kids: tuple[Sketch, ...]
    at: tuple[int, int] | None = None
    scope: str = "one"
    says: dict[str, Any] = field(default_factory=dict)


def sketch(
    role: str, name: str, *kids: Sketch, at: tuple[int, int] | None = None, scope: str = "one", **says: Any
) -> Sketch:
    """A span of a role, with what it says of itself."""
    return Sketch(role, name, kids, at, scope, says)


def agent(name: str, *kids: Sketch, **says: Any) -> Sketch:
    """An agent's span."""
    return sketch("agent", name, *kids, **says)


def tool(name: str, *kids: Sketch, **says: Any) -> Sketch:
    """A tool's span."""
    return sketch("tool", name, *kids, **says)


def model(*kids: Sketch, **says: Any) -> Sketch:
    """A model's span."""
    return sketch("model", "chat", *kids, **says)


def chain(name: str, *kids: Sketch, **says: Any) -> Sketch:
    """A span of no matter."""
    return sketch("other", name, *kids, **says)


def spans_of(*roots: Sketch, trace: int = TRACE, parent: int = 0, first_ns: int = 10) -> list[SpanData]:
    """The spans, in the order of their starts."""
    ticks, ids = count(first_ns, 10), count(trace * 1000 + 1)
    spans: list[SpanData] = []

    def write(what: Sketch, parent_id: int) -> None:
        place, span_id, start = len(spans), next(ids), next(ticks)
        for kid in what.kids:
            write(kid, span_id)
        start, end = what.at or (start, next(ticks))
        attributes = {"role": what.role, **what.says}
        span = SpanData(trace, span_id, parent_id, what.name, what.scope, attributes, (), False, "", start, end)
        spans.insert(place, span)

    for root in roots:
        write(root, parent)
    return spans


def _role(span: Span) -> Role:
    return Role(span.attributes.get("role", "other"))


def _call(span: Span) -> CallContent | None:
    says = span.attributes
    if says.get("unreadable"):
        return None
    known = {key: says[key] for key in CallContent.__struct_fields__ if key in says}
    return CallContent(**{"tool": span.name, "dialect": "sketch", **known})


def _agent(span: Span) -> AgentInfo:
    return AgentInfo(name=span.attributes.get("agent"), conversation=span.attributes.get("conversation"))


def _turn(span: Span) -> TurnContent:
    says = span.attributes
    return TurnContent(
        tokens=says.get("tokens", 0),
        calls=tuple(MessageCall(*call) for call in says.get("asks", ())),
        history=tuple(MessageCall(*call) for call in says.get("history", ())),
        results=tuple(MessageResult(*result) for result in says.get("results", ())),
        conversation=says.get("conversation"),
    )


READER = Reader(role=_role, call=_call, agent=_agent, turn=_turn)


def new_tracker(**settings: Any) -> Tracker:
    """A tracker that reads sketches."""
    return Tracker(reader=READER, **settings)


def from_file(*roots: Sketch, **settings: Any) -> list[Tracked]:
    """What a tracker makes of finished spans."""
    return list(replay(spans_of(*roots), new_tracker(**settings)))


class Growing:
    """A live span that says nothing before its end."""

    def __init__(self, data: SpanData) -> None:
        self._data = data
        self.attributes: Mapping[str, Any] = {}
        self.trace_id, self.span_id, self.parent_id = data.trace_id, data.span_id, data.parent_id
        self.name, self.scope, self.start_ns, self.end_ns = data.name, data.scope, data.start_ns, 0
        self.events: Sequence[SpanEvent] = ()
        self.failed, self.status_message, self.service = False, "", data.service

    def finish(self) -> Growing:
        """It ends, and tells all."""
        self.attributes, self.end_ns = self._data.attributes, self._data.end_ns
        return self


def live(spans: Iterable[SpanData], tracker: Tracker) -> Iterator[Tracked]:
    """What a tracker makes of opaque spans as they start and end."""
    spans = list(spans)
    growing = {span.span_id: Growing(span) for span in spans}
    starts = [(span.start_ns, False, span.span_id) for span in spans]
    ends = [(span.end_ns, True, span.span_id) for span in spans]
    for _, ends_now, span_id in sorted(starts + ends):
        if ends_now:
            yield from tracker.end(growing[span_id].finish())
        else:
            tracker.start(growing[span_id])


def run_name(run: str) -> str:
    """The key of a run without the trace's id: empty for the first run."""
    return run.removeprefix(f"{TRACE:032x}")


def calls(told: Iterable[Tracked]) -> list[tuple[str, str]]:
    """Run and tool of each call."""
    return [(run_name(event.run), event.tool) for event in told if isinstance(event, ToolCall)]


def batches(told: Iterable[Tracked]) -> list[tuple[str, int | None]]:
    """Tool and batch of each call."""
    return [(event.tool, event.batch) for event in told if isinstance(event, ToolCall)]


def tool_calls(told: Iterable[Tracked]) -> list[ToolCall]:
    """The calls alone."""
    return [event for event in told if isinstance(event, ToolCall)]


def turns(told: Iterable[Tracked]) -> list[str]:
    """Run of each model turn."""
    return [run_name(event.run) for event in told if isinstance(event, ModelTurn)]


def ends(told: Iterable[Tracked]) -> list[tuple[str, str]]:
    """Run and reason of each end."""
    return [(run_name(event.run), event.reason) for event in told if isinstance(event, RunEnded)]
