import pytest
from live_agent import rig
from opentelemetry.sdk.trace import Span
from opentelemetry.trace import set_span_in_context

from otel_loopwatch.live import LiveSpan, held
from otel_loopwatch.model import ModelTurn, ToolCall
from otel_loopwatch.start import ToolNames, may_matter


def started(scope: str = "agents", name: str = "work", root: bool = True, **attributes: str) -> tuple[Span, LiveSpan]:
    """A span as it starts, and our view of it."""
    tracer = rig().provider.get_tracer(scope)
    context = None if root else set_span_in_context(tracer.start_span("above"))
    span = tracer.start_span(name, context=context, attributes={k.replace("__", "."): v for k, v in attributes.items()})
    assert isinstance(span, Span)
    return span, LiveSpan(span, 0)


@pytest.mark.parametrize(
    ("scope", "attributes", "matters"),
    [
        ("opentelemetry.instrumentation.httpx", {}, False),
        ("opentelemetry.instrumentation.redis", {}, False),
        ("opentelemetry.instrumentation.fastapi", {}, False),
        ("opentelemetry.instrumentation.langchain", {}, True),
        ("opentelemetry.instrumentation.botocore", {}, True),
        ("openinference.instrumentation.crewai", {}, True),
        ("my.redis", {}, True),
        ("", {}, True),
        ("my.api", {"http__request__method": "GET"}, False),
        ("my.database", {"db__system__name": "sqlite"}, False),
        ("my.agents", {"http__request__method": "POST", "gen_ai__operation__name": "chat"}, True),
    ],
)
def test_only_known_plumbing_is_left_alone(scope: str, attributes: dict[str, str], matters: bool) -> None:
    """Database and HTTP spans are no agent's work; whatever is unknown may be."""
    span, _ = started(scope, **attributes)
    assert may_matter(span) is matters
    assert span.is_recording()


class Foreign:
    """A span of another SDK: what is public of it, and nothing else."""

    def __init__(self, span: Span) -> None:
        self.attributes, self.name = span.attributes, span.name
        self.instrumentation_scope = span.instrumentation_scope


@pytest.mark.parametrize("attributes", [{}, {"http__request__method": "GET"}, {"gen_ai__operation__name": "chat"}])
def test_what_is_public_of_a_span_tells_as_much(attributes: dict[str, str]) -> None:
    """The short way through the SDK's own fields is no condition."""
    span, _ = started(**attributes)
    foreign = Foreign(span)
    assert may_matter(foreign) is may_matter(span)  # type: ignore[arg-type]
    assert dict(held(foreign)) == dict(held(span)) == dict(span.attributes or {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "attributes", "tool"),
    [
        ("execute_tool look", {}, True),
        ("look", {"gen_ai__operation__name": "execute_tool"}, True),
        ("look", {"openinference__span__kind": "TOOL"}, True),
        ("look", {"traceloop__span__kind": "tool"}, True),
        ("tools/call look", {"mcp__method__name": "tools/call"}, True),
        ("chat", {"gen_ai__operation__name": "chat"}, False),
        ("look", {}, False),
    ],
)
def test_tools_are_told_at_the_start(name: str, attributes: dict[str, str], tool: bool) -> None:
    """By what is there at the start; a bare name says nothing."""
    span, live = started(name=name, **attributes)
    assert ToolNames().is_tool(live) is tool
    assert span.is_recording()


@pytest.mark.parametrize(("turn", "tool"), [(False, True), (True, False)])
def test_names_that_were_tools_before_are_learnt(turn: bool, tool: bool) -> None:
    """For instrumentations that say what a span is only at its end; a model's span that tells of calls is no tool."""
    names = ToolNames()
    span, live = started(name="look")
    names.learn(live, [ToolCall(run="r", tool="look", span_id=live.span_id), *[ModelTurn(run="r")] * turn])
    assert names.is_tool(live) is tool
    assert span.is_recording()
