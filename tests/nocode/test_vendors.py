"""``install`` on the providers of vendors, as their users set them up. Each runs where its package is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Vendor(NamedTuple):
    """A package, how its user sets it up, and the name of the exporter that must go on getting spans."""

    package: str
    set_up: str
    exporter: str
    variables: tuple[tuple[str, str], ...] = ()


VENDORS = [
    Vendor(
        "logfire",
        "import logfire\nlogfire.configure(send_to_logfire=False, additional_span_processors=[own], console=False)",
        "InMemorySpanExporter",
    ),
    Vendor(
        "langfuse",
        "from langfuse import Langfuse\nLangfuse(public_key='pk-lf-1', secret_key='sk-lf-1', host=NOWHERE, "
        "should_export_span=lambda span: True)",
        "LangfuseTransformingSpanExporter",
    ),
    Vendor(
        "phoenix.otel",
        "from phoenix.otel import register\nregister(endpoint=NOWHERE + '/v1/traces', verbose=False, batch=True)",
        "HTTPSpanExporter",
    ),
    Vendor(
        "traceloop.sdk",
        "from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter\n"
        "from traceloop.sdk import Traceloop\n"
        "Traceloop.init(exporter=InMemorySpanExporter(), disable_batch=True, instruments=set())",
        "InMemorySpanExporter",
        (("TRACELOOP_TELEMETRY", "false"), ("TRACELOOP_METRICS_ENABLED", "false")),
    ),
]
APPLICATION = """
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from otel_loopwatch import install

NOWHERE = "http://127.0.0.1:9"
own = SimpleSpanProcessor(InMemorySpanExporter())


def set_up():
    {set_up}
    before = names()
    assert install(content="drop") is install()
    assert names() == before, (before, names())


def names():
    from opentelemetry import trace
    from otel_loopwatch.inside import exporters
    return sorted(type(exporter).__name__ for exporter in exporters(trace.get_tracer_provider()))
"""


def installed(package: str) -> bool:
    """Whether a package, perhaps within a namespace, can be imported."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def doctor(tmp_path: Path, vendor: Vendor) -> dict[str, Any]:
    """The self-test through the vendor's provider."""
    set_up = vendor.set_up.replace("\n", "\n    ")
    (tmp_path / "application.py").write_text(APPLICATION.format(set_up=set_up), encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "COV"))}
    done = subprocess.run(
        [sys.executable, "-m", "otel_loopwatch", "doctor", "--json", "--live", "application:set_up"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=clean | dict(vendor.variables),
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{\n") :])
    return report


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.package)
def test_its_exporters_stay_and_see_the_loop(vendor: Vendor, tmp_path: Path) -> None:
    """Registered once; the vendor's own exporter gets the run, with the loop and without its content."""
    if not installed(vendor.package):
        pytest.skip(f"{vendor.package} is not installed (make vendors installs each in an environment of its own)")
    report = doctor(tmp_path, vendor)
    assert report["registered"]
    assert report["signalled"]
    reached = {each["exporter"]: each for each in report["exporters"]}
    assert vendor.exporter in reached, reached
    assert reached[vendor.exporter]["loops"] >= 2
    assert not any(each["content"] for each in report["exporters"])
