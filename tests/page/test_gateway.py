"""The page on a whole gateway: the spans of a real agent come in over OTLP, and the loop is seen and stopped."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import pytest
from drawing.chromium import Page
from opentelemetry import trace as trace_api
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import Span
from page.looking import fill, own, sees

from otel_loopwatch.gateway.service import Gateway
from otel_loopwatch.gateway.settings import GatewaySettings
from otel_loopwatch.scenarios import SUPPORT, Step
from otel_loopwatch.scripted import play
from otel_loopwatch.settings import Options


class Halted(Exception):
    """The agent was told to end."""


def test_a_stuck_agent_is_seen_and_halted(browser: Page, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its loop shows up while it calls; it asks before each call, and ends once somebody pressed Halt."""
    settings = GatewaySettings(folder=tmp_path, http_port=0, grpc_port=None, spool_bytes=0, window_s=0.1)
    gateway = Gateway(settings, Options())
    address = f"http://127.0.0.1:{gateway.http_port}/"
    serving = Thread(target=lambda: asyncio.run(gateway.serve()))
    serving.start()
    provider = TracerProvider(resource=Resource.create({"service.name": "helpdesk"}))
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{address}v1/traces")))

    def halt(number: int, step: Step, span: Span) -> None:
        if number < 8:
            return
        assert sees(browser, "helpdesk", "■ identical critical ×5 search_policy", "8 calls, 6 wasted", within="#list")
        browser.click(".run")
        assert sees(browser, "helpdesk", "Advice to the model.", within="#details")
        browser.click("#act")
        fill(browser, "#decide [name=by]", "Ana")
        fill(browser, "#decide [name=reason]", "no policy will come")
        browser.click("#decide .main")
        assert sees(browser, "Halted by Ana: no policy will come", within="#details")

    def ask() -> None:
        trace = trace_api.get_current_span().get_span_context().trace_id
        with urlopen(f"{address}v1/decisions/{trace:032x}") as answer:
            if json.load(answer)["action"] == "halt":
                raise Halted

    try:
        browser.visit(address)
        with pytest.raises(Halted):
            play(provider.get_tracer("agent"), SUPPORT, before_call=ask, after_call=halt)
        assert sees(browser, "halted by Ana", "8 calls", within="#list")
        assert own(browser, address)
    finally:
        provider.shutdown()
        gateway.stop()
        serving.join()
    assert sees(browser, "The gateway does not answer", within="#connection")
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []
