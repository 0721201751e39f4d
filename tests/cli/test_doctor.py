"""`doctor`: from what is installed and set, to what is captured and what will be missed."""

from __future__ import annotations

import json

import pytest

from otel_loopwatch.cli import doctor, main
from otel_loopwatch.cli.instrumentations import INSTRUMENTATIONS, Content, recognise
from otel_loopwatch.cli.terminal import Paint
from otel_loopwatch.config import load
from otel_loopwatch.settings import Options

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

CASES = [
    ("openinference-instrumentation-langchain", {}, Content.CAPTURED, ()),
    (
        "openinference-instrumentation-openai",
        {"OPENINFERENCE_HIDE_INPUTS": "TRUE"},
        Content.SWITCHED_OFF,
        ("OPENINFERENCE_HIDE_INPUTS=false",),
    ),
    ("openinference-instrumentation-mcp", {}, Content.NO_TOOL_SPANS, ()),
    ("opentelemetry-instrumentation-genai-langchain", {}, Content.SWITCHED_OFF, (f"{CAPTURE}=SPAN_ONLY",)),
    ("opentelemetry-instrumentation-genai-langchain", {CAPTURE: "SPAN_AND_EVENT"}, Content.CAPTURED, ()),
    (
        "opentelemetry-instrumentation-genai-langchain",
        {CAPTURE: "EVENT_ONLY"},
        Content.SWITCHED_OFF,
        (f"{CAPTURE}=SPAN_ONLY",),
    ),
    (
        "opentelemetry-instrumentation-genai-dspy",
        {CAPTURE: "span_only"},
        Content.SWITCHED_OFF,
        ("OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental",),
    ),
    ("opentelemetry-instrumentation-langchain", {}, Content.CAPTURED, ()),
    (
        "opentelemetry-instrumentation-openai",
        {"TRACELOOP_TRACE_CONTENT": "false"},
        Content.SWITCHED_OFF,
        ("TRACELOOP_TRACE_CONTENT=true",),
    ),
    ("opentelemetry-instrumentation-crewai", {}, Content.NO_TOOL_SPANS, ()),
    ("agent-framework-core", {}, Content.SWITCHED_OFF, ("ENABLE_SENSITIVE_DATA=true",)),
    ("autogen-core", {}, Content.NEVER, ()),
    ("mlflow-skinny", {}, Content.SWITCHED_OFF, ("MLFLOW_USE_DEFAULT_TRACER_PROVIDER=false",)),
]


@pytest.mark.parametrize(
    ("package", "env", "content", "to_set"), CASES, ids=[f"{case[0]} {case[1] or ''}" for case in CASES]
)
def test_what_an_instrumentation_captures(
    package: str, env: dict[str, str], content: Content, to_set: tuple[str, ...]
) -> None:
    """By default and with its switches set, and what to set so that more is captured."""
    (found,) = doctor.examine({package: "1.0"}, env, Options()).instrumentations
    assert (found.content, found.set) == (content, to_set)


@pytest.mark.parametrize("package", ["opentelemetry-instrumentation-requests", "numpy", "opentelemetry-sdk"])
def test_other_packages_are_none_of_its_business(package: str) -> None:
    """Only what makes spans of agents is listed."""
    assert recognise(package) is None


def test_no_pattern_hides_a_later_one() -> None:
    """The first pattern that matches holds, so the special ones stand before the general ones."""
    for known in INSTRUMENTATIONS:
        name = known.pattern.replace("*", "anything")
        assert recognise(name) is known


MISSED = [
    ("nothing installed", {}, {}, "No known instrumentation is installed"),
    ("content switched off", {"google-adk": "2"}, {}, "google-adk is told not to capture arguments and results"),
    ("content never there", {"mcp": "1"}, {}, "mcp never captures arguments and results"),
    ("no tool spans", {"opentelemetry-instrumentation-crewai": "1"}, {}, "makes no span per tool call"),
    ("a ratio sampler", {}, {"OTEL_TRACES_SAMPLER": "traceidratio"}, "traces that are not sampled"),
    ("a length limit", {}, {"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "128"}, "a value that is cut counts as unknown"),
    ("switched off", {}, {"OTEL_SDK_DISABLED": "true"}, "Loopwatch is disabled here"),
]


@pytest.mark.parametrize(("packages", "env", "said"), [case[1:] for case in MISSED], ids=[case[0] for case in MISSED])
def test_what_will_be_missed_is_said(packages: dict[str, str], env: dict[str, str], said: str) -> None:
    """One sentence for each thing that takes something away."""
    report = doctor.examine(packages, env, load(env=env))
    assert any(said in sentence for sentence in report.missed)


def test_a_good_set_up_misses_nothing() -> None:
    """With a known instrumentation that captures content there is nothing to say."""
    report = doctor.examine(
        {"openinference-instrumentation-langchain": "1"}, {"OTEL_TRACES_SAMPLER": "always_on"}, Options()
    )
    assert report.missed == ()
    assert "nothing that is known of" in "\n".join(doctor.lines(report, Paint()))


def test_attributes_that_do_not_reach_the_span_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an SDK that refuses late attributes the report tells what happens instead."""
    monkeypatch.setattr("otel_loopwatch.telemetry.late_write.works_here", lambda: False)
    report = doctor.examine({}, {}, Options())
    assert not report.attributes_reach_exporters
    assert any("not to the tool span itself" in sentence for sentence in report.missed)
    assert "  do not reach the tool span" in list(doctor.lines(report, Paint()))


def test_report_for_people(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Versions, exporters, instrumentations with what to set, the set-up, and what is missed."""
    packages = {
        "opentelemetry-sdk": "1.45.2",
        "opentelemetry-exporter-otlp": "1.45.2",
        "opentelemetry-instrumentation-genai-agno": "1.3",
        "pydantic-ai-slim": "2.6",
    }
    monkeypatch.setattr(doctor, "installed", lambda: packages)
    monkeypatch.delenv(CAPTURE, raising=False)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "opentelemetry-exporter-otlp  " in out
    assert f"off opentelemetry-instrumentation-genai-agno 1.3: content is off; set {CAPTURE}=SPAN_ONLY" in out
    assert "ok  pydantic-ai-slim 2.6: arguments and results are captured (off with" in out
    assert "reach every exporter" in out
    assert "control=observe" in out


def test_report_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON object with what is really installed here."""
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["versions"]["opentelemetry-sdk"] != "missing"
    assert report["attributes_reach_exporters"] is True
    assert "opentelemetry-exporter-otlp" in report["exporters"]
