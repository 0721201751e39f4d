"""Content that is captured, judged, and then kept from every exporter."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from live_agent import ARGUMENTS, RESULT, SECRET, Rig, rig
from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
from opentelemetry.trace import StatusCode

from otel_loopwatch.dialects.content import event_holds_content, holds_content
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.registry import DIALECTS, MARKERS, NAMES, find
from otel_loopwatch.digests import Digests
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.settings import ContentPolicy
from otel_loopwatch.spans import SpanData
from otel_loopwatch.telemetry import names, withhold

POLICIES = [ContentPolicy.DIGEST, ContentPolicy.DROP]
KEY = "correct horse battery staple"
DIGEST = re.compile(r"blake2b:[0-9a-f]{32}")
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}


def marked(dialect: Dialect) -> tuple[str, dict[str, str]]:
    """Name and attributes by which a span is told to be of a dialect."""
    marker = next((key for key, known in MARKERS.items() if known.name == dialect.name), "gen_ai.tool.name")
    name = next((word for word, known in NAMES.items() if known.name == dialect.name), "execute_tool")
    return name, TOOL | {marker: "t"}


def everything(span: ReadableSpan) -> str:
    """All that an exporter gets of a span, as one text."""
    events = [(event.name, dict(event.attributes or {})) for event in span.events]
    return repr((span.name, dict(span.attributes or {}), events, span.status.description, span.links))


def exported(bench: Rig) -> Iterator[str]:
    """What exporters registered before and after ours got."""
    for exporter in (bench.before, bench.after):
        yield from map(everything, exporter.get_finished_spans())


def content_of(dialect: Dialect) -> dict[str, str]:
    """The secret wherever the dialect writes content."""
    keys = (*dialect.argument_keys, *dialect.result_keys, *dialect.content_keys)
    return {key + "0.content" * key.endswith("."): f"{key} {SECRET}" for key in keys}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_no_byte_of_a_secret_reaches_an_exporter(dialect: Dialect, policy: ContentPolicy) -> None:
    """Attributes set at the start and later, message events, exceptions and the status, of every dialect."""
    bench = rig(content=policy.value)
    tracer = bench.provider.get_tracer("t")
    secrets = content_of(dialect)
    name, marks = marked(dialect)
    found = find(SpanData(name=name, attributes=marks))
    assert found is not None
    assert found.name == dialect.name
    span = tracer.start_span(name, attributes=marks)
    span.set_attributes(secrets)
    for name in ("gen_ai.user.message", "gen_ai.tool.message", "gen_ai.choice", "gen_ai.client.inference.details"):
        span.add_event(name, {"content": SECRET, "message": SECRET, "gen_ai.input.messages": SECRET, "role": "tool"})
    span.record_exception(ValueError(SECRET))
    span.set_status(StatusCode.ERROR, f"ValueError: {SECRET}")
    span.end()
    assert len(list(exported(bench))) == 2
    assert [text for text in exported(bench) if SECRET in text] == []
    (ended,) = bench.spans()
    kept = {key: value for key, value in (ended.attributes or {}).items() if key in secrets}
    assert set(kept) == (set(secrets) if policy is ContentPolicy.DIGEST else set())
    assert all(DIGEST.fullmatch(str(value)) for value in kept.values())
    shown = {key: value for key, value in marks.items() if not holds_content(key)}
    assert {key: (ended.attributes or {})[key] for key in shown} == shown
    assert TOOL.items() <= shown.items()


@pytest.mark.parametrize("policy", POLICIES)
def test_loops_are_seen_and_marked_as_with_content(policy: ContentPolicy) -> None:
    """Fingerprints, outcome and signals rest on what was captured."""
    kept, withheld = rig(), rig(content=policy.value)
    for bench in (kept, withheld):
        with bench.agent():
            for _ in range(9):
                bench.call()
    assert [ours(span) for span in withheld.spans()] == [ours(span) for span in kept.spans()]
    assert any(names.LOOP_KIND in ours(span) for span in withheld.spans())


def ours(span: ReadableSpan) -> dict[str, Any]:
    """Our attributes, those left out that come from the ids of spans."""
    held, of_ids = span.attributes or {}, (names.LOOP_ID, names.LOOP_FIRST_SPAN_ID)
    return {k: v for k, v in held.items() if k.startswith("loopwatch.") and k not in of_ids}


def test_equal_values_have_equal_digests_and_a_key_changes_them() -> None:
    """Digests and fingerprints: the same within one key, others under another."""

    def call(**arguments: Any) -> tuple[str, ...]:
        bench = rig(content="digest", **arguments)
        bench.call()
        held = bench.spans()[0].attributes or {}
        keys = ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", names.CALL_FINGERPRINT)
        return tuple(str(held[key]) for key in (*keys, names.RESULT_FINGERPRINT))

    plain, keyed, other = call(), call(digest_key=KEY), call(digest_key=KEY + "!")
    assert call(digest_key=KEY) == keyed
    assert all(len({*values}) == 3 for values in zip(plain, keyed, other, strict=True))
    assert len(keyed[2]) == 16


def test_a_key_alone_keys_the_fingerprints() -> None:
    """With content kept on the spans as well: fingerprints may go further than content does."""
    plain, keyed = rig(), rig(digest_key=KEY)
    for bench in (plain, keyed):
        bench.call()
    first, second = ((bench.spans()[0].attributes or {}) for bench in (plain, keyed))
    assert first[names.CALL_FINGERPRINT] != second[names.CALL_FINGERPRINT]
    assert second["gen_ai.tool.call.arguments"] == ARGUMENTS


VALUES = [
    ("text", "a"),
    ("keys that are no texts", {(1, "a"): object}),
    ("text with a lone surrogate", "\ud800"),
    ("bytes", b"\xff"),
    ("structure", {"b": 1, "a": [1]}),
]


@pytest.mark.parametrize("value", [value for _, value in VALUES], ids=[case for case, _ in VALUES])
def test_any_value_has_a_digest(value: object) -> None:
    """Whatever an attribute may hold."""
    assert DIGEST.fullmatch(Digests().of(value))


def test_the_order_of_keys_makes_no_difference_to_a_digest() -> None:
    """As the SDK keeps structures from 1.45 on."""
    assert Digests().of({"a": 1, "b": {"c": 2, "d": 3}}) == Digests().of({"b": {"d": 3, "c": 2}, "a": 1})


STRUCTURE = [
    ("llm.input_messages.0.message.role", False),
    ("llm.input_messages.0.message.content", True),
    ("llm.output_messages.1.message.tool_calls.0.tool_call.function.name", False),
    ("llm.output_messages.1.message.tool_calls.0.tool_call.function.arguments", True),
    ("gen_ai.prompt.3.content", True),
    ("gen_ai.prompt", True),
    ("gen_ai.tool.name", False),
    ("gen_ai.usage.input_tokens", False),
    ("http.request.method", False),
]


@pytest.mark.parametrize(("key", "held"), STRUCTURE)
def test_how_messages_are_built_is_no_content(key: str, held: bool) -> None:
    """Roles, ids and names of tools stay; what is said goes."""
    assert holds_content(key) is held


EVENTS = [
    ("gen_ai.choice", "message", True),
    ("gen_ai.choice", "finish_reason", False),
    ("exception", "exception.message", True),
    ("exception", "exception.type", False),
    ("cache", "key", False),
    ("cache", "gen_ai.prompt", True),
]


@pytest.mark.parametrize(("event", "key", "held"), EVENTS)
def test_what_of_an_event_is_content(event: str, key: str, held: bool) -> None:
    """Everything said in message events, the texts of exceptions, and content by its name anywhere."""
    assert event_holds_content(event, key) is held


def failing(bench: Rig, *spans: str) -> None:
    """Spans inside each other, through all of which an error passes."""
    tracer = bench.provider.get_tracer("app")

    def enter(rest: tuple[str, ...]) -> None:
        with tracer.start_as_current_span(rest[0]):
            if len(rest) > 1:
                enter(rest[1:])
            raise ValueError(SECRET)

    with pytest.raises(ValueError, match=SECRET):
        enter(spans)


def test_errors_that_pass_through_an_agents_spans_take_nothing_along() -> None:
    """From a plain span inside a tool to the plain span around the agent; the type of the error stays."""
    bench = rig(content="drop")
    failing(bench, "GET /chat", "invoke_agent a", "execute_tool t", "fetch page")
    assert [text for text in exported(bench) if SECRET in text] == []
    types = [(event.attributes or {})["exception.type"] for span in bench.spans() for event in span.events]
    assert types == ["ValueError"] * 4


def test_errors_of_other_work_are_left_alone() -> None:
    """They say what went wrong, and are nobody's conversation."""
    bench = rig(content="drop")
    failing(bench, "GET /orders", "load")
    assert all(SECRET in text for text in exported(bench))


def test_a_failure_of_ours_does_not_let_content_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judging breaks; what was asked to be withheld is withheld."""
    bench = rig(content="drop")

    def fail(*arguments: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(bench.processor._tracker, "end", fail)
    bench.call()
    assert [text for text in exported(bench) if SECRET in text or RESULT in text] == []
    assert bench.counts("loopwatch.processor.failures") == {("RuntimeError",): 1}


def test_a_failing_digest_leaves_an_empty_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the application does not notice."""
    bench = rig(content="digest")

    def fail(value: object) -> str:
        raise RuntimeError

    monkeypatch.setattr(bench.processor._withhold, "_stand", fail)
    bench.provider.get_tracer("t").start_span("execute_tool t", attributes={"input.value": SECRET}).end()
    (ended,) = bench.spans()
    assert (ended.attributes or {})["input.value"] == ""
    assert bench.counts("loopwatch.processor.failures") == {("RuntimeError",): 1}


def test_spans_open_at_shutdown_are_covered() -> None:
    """Their ends are ours as long as they are open."""
    bench = rig(content="drop")
    span = bench.start_call()
    bench.processor.shutdown()
    span.end()
    assert [text for text in exported(bench) if SECRET in text] == []


def no_removal(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an SDK whose attributes cannot be taken off."""
    monkeypatch.delattr("opentelemetry.attributes.BoundedAttributes.__delitem__")
    monkeypatch.setattr("opentelemetry.attributes.BoundedAttributes.__abstractmethods__", frozenset())


def test_what_cannot_be_removed_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty text, on an SDK that lets nothing be removed."""
    no_removal(monkeypatch)
    bench = rig(content="drop")
    bench.call()
    assert (bench.spans()[0].attributes or {})["gen_ai.tool.call.result"] == ""


def no_late_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an SDK that takes nothing at the end."""
    monkeypatch.setattr(withhold, "before_end", lambda span, write: None)


def no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an SDK on which the proof itself fails."""
    monkeypatch.setattr(withhold, "TracerProvider", None)


@pytest.mark.parametrize("broken", [no_late_write, no_provider])
@pytest.mark.parametrize("policy", POLICIES)
def test_an_sdk_on_which_it_does_not_work_is_refused(
    policy: ContentPolicy, broken: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At set-up, rather than content getting out."""
    broken(monkeypatch)
    with pytest.raises(ValueError, match=f"content is '{policy.value}'; it must be keep with this SDK"):
        rig(content=policy.value)


def test_disabled_means_exported_as_captured_and_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """The switch that turns everything off turns this off, too."""
    with caplog.at_level(logging.WARNING):
        bench = rig(content="drop", disabled=True)
    bench.call()
    assert all(SECRET in text for text in exported(bench))
    assert "exported as they are captured" in caplog.text


def test_plumbing_spans_are_covered_as_well() -> None:
    """An error may pass through a client's span inside a tool."""
    bench = rig(content="drop")
    with bench.agent():
        span = bench.provider.get_tracer("opentelemetry.instrumentation.httpx").start_span("GET")
        assert isinstance(span, Span)
        span.record_exception(ValueError(SECRET))
        span.end()
    assert [text for text in exported(bench) if SECRET in text] == []


def test_a_span_that_had_started_earlier_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing could be done about it; once for each scope."""
    provider = TracerProvider(shutdown_on_exit=False)
    early = [provider.get_tracer("agents").start_span("execute_tool t", attributes={"input.value": SECRET})] * 2
    provider.add_span_processor(LoopwatchSpanProcessor(content="drop"))
    with caplog.at_level(logging.WARNING):
        for span in [*early, provider.get_tracer("agents").start_span("x", attributes={"input.value": SECRET})]:
            span.end()
    assert caplog.text.count("Content of a span of 'agents' got out") == 1


@pytest.mark.parametrize("policy", POLICIES)
def test_what_was_withheld_is_not_said_to_have_got_out(policy: ContentPolicy, caplog: pytest.LogCaptureFixture) -> None:
    """The check knows what stands for content."""
    bench = rig(content=policy.value)
    with caplog.at_level(logging.WARNING):
        bench.call()
    assert caplog.text == ""
