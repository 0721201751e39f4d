"""Without code: the real launcher, with variables and with a configuration file."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider

instrumentor = pytest.importorskip(
    "otel_loopwatch.instrumentor", reason="opentelemetry-instrumentation is not installed", exc_type=ImportError
)
from otel_loopwatch.installation import installed  # noqa: E402

LAUNCHER = Path(sys.executable).with_name("opentelemetry-instrument")
APPLICATION = """
from opentelemetry import trace
from otel_loopwatch.inside import within
from otel_loopwatch.processor import LoopwatchSpanProcessor

tracer = trace.get_tracer("app")
with tracer.start_as_current_span("invoke_agent a", attributes={"gen_ai.operation.name": "invoke_agent"}):
    for _ in range(4):
        with tracer.start_as_current_span("execute_tool look") as span:
            span.set_attribute("gen_ai.tool.call.arguments", '{"q": "lamp"}')
            span.set_attribute("gen_ai.tool.call.result", "The lamp stands in the hall")
ours = [p for p in within(trace.get_tracer_provider()) if isinstance(p, LoopwatchSpanProcessor)]
print("watching", [(p.options.control.value, p.options.settings.window) for p in ours])
"""
CONFIGURATION = """
file_format: "1.0"
tracer_provider: {processors: [{simple: {exporter: {console: {}}}}]}
instrumentation/development: {python: {loopwatch: %s}}
"""
pytestmark = pytest.mark.skipif(
    not LAUNCHER.exists() or not entry_points(group="opentelemetry_instrumentor", name="loopwatch"),
    reason="opentelemetry-instrument is not installed beside this Python, or our entry points are not",
)


def launched(tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The application, run by the launcher with these variables and no others of ours."""
    application = tmp_path / "app.py"
    application.write_text(APPLICATION, encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
    exporters = {"OTEL_TRACES_EXPORTER": "console", "OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none"}
    return subprocess.run(
        [str(LAUNCHER), sys.executable, str(application)],
        capture_output=True, text=True, check=True, env=clean | exporters | variables,
    )  # fmt: skip


def test_variables_are_enough(tmp_path: Path) -> None:
    """The launcher finds us, the options come from the environment, and the exporter sees the loop."""
    done = launched(tmp_path, OTEL_LOOPWATCH_CONTROL="dry_run", OTEL_LOOPWATCH_WINDOW="64")
    assert "watching [('dry_run', 64)]" in done.stdout
    assert '"loopwatch.loop.kind": "identical"' in done.stdout


def test_a_wrong_variable_is_said_and_the_application_runs(tmp_path: Path) -> None:
    """With the variable's name; spans are exported as ever."""
    done = launched(tmp_path, OTEL_LOOPWATCH_WINDOW="3")
    assert "Loopwatch is off: OTEL_LOOPWATCH_WINDOW: window is 3; it must be" in done.stderr
    assert "watching []" in done.stdout
    assert '"name": "execute_tool look"' in done.stdout


def test_the_sampler_is_found_by_name(tmp_path: Path) -> None:
    """Nothing is sampled, and the loop is seen all the same."""
    done = launched(tmp_path, OTEL_TRACES_SAMPLER="loopwatch", OTEL_TRACES_SAMPLER_ARG="0")
    assert "loopwatch.loop.kind" not in done.stdout
    assert "identical loop, warning" in done.stderr


def configured(tmp_path: Path, options: dict[str, object]) -> subprocess.CompletedProcess[str]:
    """The application under the launcher with a configuration file."""
    pytest.importorskip("opentelemetry.configuration", reason="opentelemetry-configuration is not installed")
    file = tmp_path / "otel.yaml"
    file.write_text(CONFIGURATION % json.dumps(options), encoding="utf-8")
    return launched(tmp_path, OTEL_CONFIG_FILE=str(file))


def test_declarative_configuration_sets_options_once(tmp_path: Path) -> None:
    """The file and the launcher both load us: one processor, with the file's options, and no complaint."""
    done = configured(tmp_path, {"control": "halt", "thresholds": {"identical": {"warning": 4}}, "window": 48})
    assert "watching [('halt', 48)]" in done.stdout
    assert done.stdout.count('"loopwatch.loop.kind": "identical"') == 4  # tool and agent span, attribute and event
    assert "already" not in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"window": 3}, "Loopwatch is off: window is 3; it must be a whole number from 16 to 1024"),
        ({"windw": 32}, "Loopwatch is off: windw is not known (did you mean window?)"),
        ({"clock": 1}, "Loopwatch is off: clock is not known"),
    ],
)
def test_wrong_options_are_said_and_nothing_is_watched(tmp_path: Path, options: dict[str, object], said: str) -> None:
    """One line; the launcher's second attempt does not bring defaults instead."""
    done = configured(tmp_path, options)
    assert said in done.stderr
    assert "watching []" in done.stdout
    assert "Traceback" not in done.stderr


def test_it_can_be_switched_off_by_the_launchers_own_variable(tmp_path: Path) -> None:
    """As any instrumentation."""
    assert "watching []" in launched(tmp_path, OTEL_PYTHON_DISABLED_INSTRUMENTATIONS="loopwatch").stdout


@pytest.fixture
def fresh() -> object:
    """An instrumentor that was not used yet: the class is a singleton."""
    made = instrumentor.LoopwatchInstrumentor()
    made.uninstrument()
    yield made
    made.uninstrument()


def test_in_code_it_takes_a_provider_and_can_be_undone(fresh: object) -> None:
    """Uninstrumented, it stays on the provider and does nothing; instrumented again, there is a new one."""
    provider = TracerProvider(shutdown_on_exit=False)
    fresh.instrument(tracer_provider=provider, window=64)
    first = installed(provider)
    assert first.options.settings.window == 64
    fresh.instrument(tracer_provider=provider, window=32)
    assert installed(provider) is first
    fresh.uninstrument()
    assert first.closed
    assert installed(provider) is None
    fresh.instrument(tracer_provider=provider)
    assert installed(provider) is not first


def test_without_a_provider_it_says_so(fresh: object, caplog: pytest.LogCaptureFixture) -> None:
    """And does not keep other instrumentations from loading."""
    with caplog.at_level(logging.ERROR):
        fresh.instrument(tracer_provider=object())
    assert "Loopwatch is off: provider is object" in caplog.text
