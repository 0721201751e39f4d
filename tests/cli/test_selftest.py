"""`doctor --live`: what reached the exporters of the application's own provider, and what did not."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler

from otel_loopwatch import LoopwatchSampler, LoopwatchSpanProcessor, install
from otel_loopwatch.cli import main
from otel_loopwatch.cli.escapes import escapes
from otel_loopwatch.config import load


class Refusing(SpanExporter):
    """Its endpoint is down."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.FAILURE


class EarlyLeak(SimpleSpanProcessor):
    """Exports what a span holds when it starts, as pending spans do."""

    def on_start(self, span: Any, parent_context: object = None) -> None:
        self.span_exporter.export((span._readable_span(),))


class Early(SimpleSpanProcessor):
    """Exports a copy of what a span holds when it starts, and nothing at its end."""

    def on_start(self, span: Any, parent_context: object = None) -> None:
        copy = ReadableSpan(span.name, span.context, instrumentation_scope=span.instrumentation_scope)
        self.span_exporter.export((copy,))

    def on_end(self, span: ReadableSpan) -> None:
        """Nothing."""


class Slow(SimpleSpanProcessor):
    """Does not get its spans out in time."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return False


def provider(*processors: SpanProcessor, sampler: Sampler = ALWAYS_ON) -> TracerProvider:
    """An application's provider."""
    made = TracerProvider(sampler=sampler, shutdown_on_exit=False)
    for processor in processors:
        made.add_span_processor(processor)
    return made


def memory() -> SimpleSpanProcessor:
    """A processor with an exporter."""
    return SimpleSpanProcessor(InMemorySpanExporter())


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Runs the command against an application that sets this provider up."""

    def run(made: object, *flags: str) -> tuple[int, str]:
        application = ModuleType("their_application")
        application.set_up = lambda: made  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "their_application", application)
        code = main(["doctor", "--live", "their_application:set_up", *flags])
        return code, capsys.readouterr().out

    return run


def test_a_good_set_up(live: Callable[..., tuple[int, str]]) -> None:
    """Every exporter, before and after, gets the spans and the loop."""
    made = provider(memory(), LoopwatchSpanProcessor(), BatchSpanProcessor(InMemorySpanExporter()))
    code, out = live(made)
    assert code == 0
    assert out.count("InMemorySpanExporter: 9 spans, 2 with the loop, argument in clear") == 2
    assert "loop signalled: yes" in out
    assert out.endswith("Problems\n  - none\n")


CASES = [
    ("not registered", lambda: provider(memory()), "does not put Loopwatch on this provider"),
    (
        "sampled out",
        lambda: provider(memory(), LoopwatchSpanProcessor(), sampler=ALWAYS_OFF),
        "No span was recorded: the sampler drops",
    ),
    (
        "recorded and not sampled",
        lambda: provider(memory(), LoopwatchSpanProcessor(), sampler=LoopwatchSampler(ALWAYS_OFF)),
        "InMemorySpanExporter got nothing: the sampler",
    ),
    ("disabled", lambda: provider(memory(), LoopwatchSpanProcessor(disabled=True)), "is Loopwatch disabled?"),
    ("no exporter", lambda: provider(LoopwatchSpanProcessor()), "no exporter that can be seen"),
    (
        "exported before the end",
        lambda: provider(Early(InMemorySpanExporter()), LoopwatchSpanProcessor()),
        "InMemorySpanExporter got spans without the loop's attributes",
    ),
    (
        "slow",
        lambda: provider(Slow(InMemorySpanExporter()), LoopwatchSpanProcessor()),
        "The provider did not flush within 10 s",
    ),
    (
        "endpoint down",
        lambda: provider(SimpleSpanProcessor(Refusing()), LoopwatchSpanProcessor()),
        "Refusing could not export",
    ),
    (
        "content gets out",
        lambda: provider(EarlyLeak(InMemorySpanExporter()), LoopwatchSpanProcessor(content="drop")),
        "got an argument in clear although content is drop",
    ),
]


@pytest.mark.parametrize(("make", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_wrong_is_said(
    make: Callable[[], TracerProvider], said: str, live: Callable[..., tuple[int, str]]
) -> None:
    """One sentence, and exit code 1."""
    code, out = live(make())
    assert code == 1
    assert said in out


def test_for_programs(live: Callable[..., tuple[int, str]]) -> None:
    """The same as JSON."""
    code, out = live(provider(memory(), LoopwatchSpanProcessor(content="digest", digest_key="k" * 16)), "--json")
    report = json.loads(out)
    assert code == 0
    assert report["problems"] == []
    assert report["exporters"] == [
        {"exporter": "InMemorySpanExporter", "spans": 9, "loops": 2, "content": False, "accepted": True}
    ]


def test_exporters_are_left_as_they_were(live: Callable[..., tuple[int, str]]) -> None:
    """Nothing stands before them afterwards."""
    exporter = InMemorySpanExporter()
    live(provider(SimpleSpanProcessor(exporter), LoopwatchSpanProcessor()))
    assert "export" not in vars(exporter)
    assert len(exporter.get_finished_spans()) == 9


def test_the_global_provider_is_taken_where_the_target_gives_none(
    live: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the application has set it."""
    made = provider(memory())
    install(made)
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", lambda: made)
    assert live(None)[0] == 0
    assert main(["doctor", "--live"]) == 0


@pytest.mark.parametrize("target", ["no_such_module", "json:no_such_name", "json:loads"])
def test_a_target_that_fails_is_bad_input(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line with what the application raised."""
    assert main(["doctor", "--live", target]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"otel-loopwatch: {target}: ")
    assert err.count("\n") == 1


def test_no_provider_is_bad_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was set up."""
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", object)
    assert main(["doctor", "--live"]) == 2
    assert "it must be a tracer provider of the OpenTelemetry SDK" in capsys.readouterr().err


KEY = "k" * 16
ESCAPES = [
    ("kept content", {"logfire": "5"}, {}, {"content": "keep"}, ()),
    ("a key and nothing else", {}, {}, {"content": "drop", "digest_key": KEY}, ()),
    ("no key", {}, {}, {"content": "digest"}, ("digest_key is not set",)),
    ("disabled", {}, {}, {"content": "drop", "digest_key": KEY, "disabled": True}, ("Loopwatch is disabled",)),
    (
        "log records",
        {},
        {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_AND_EVENT"},
        {"content": "drop", "digest_key": KEY},
        ("messages are also written to log records",),
    ),
    ("pending spans", {"logfire": "5"}, {}, {"content": "drop", "digest_key": KEY}, ("LOGFIRE_PENDING_SPANS=false",)),
    (
        "no pending spans",
        {"logfire": "5"},
        {"LOGFIRE_PENDING_SPANS": "false"},
        {"content": "drop", "digest_key": KEY},
        (),
    ),
    ("LangSmith", {"langsmith": "1"}, {}, {"content": "drop", "digest_key": KEY}, ("LANGSMITH_OTEL_ONLY=true",)),
    ("MLflow", {"mlflow-skinny": "3"}, {}, {"content": "drop", "digest_key": KEY}, ("keeps traces of its own",)),
]


@pytest.mark.parametrize(
    ("packages", "env", "arguments", "said"), [case[1:] for case in ESCAPES], ids=[case[0] for case in ESCAPES]
)
def test_other_ways_out_are_said(
    packages: dict[str, str], env: dict[str, str], arguments: dict[str, Any], said: tuple[str, ...]
) -> None:
    """By what is installed and set; nothing where content is kept anyway."""
    found = tuple(escapes(packages, env, load(env={}, **arguments)))
    assert len(found) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found, strict=True))


def test_ways_out_stand_in_the_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Under a heading of their own."""
    monkeypatch.setenv("OTEL_LOOPWATCH_CONTENT", "drop")
    assert main(["doctor"]) == 0
    assert "How content still gets out\n  - digest_key is not set" in capsys.readouterr().out
