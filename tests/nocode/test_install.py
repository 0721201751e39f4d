"""``install``: onto whatever provider there is, once, without taking anything away."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NoOpTracerProvider, ProxyTracerProvider

from otel_loopwatch import LoopwatchSpanProcessor, install
from otel_loopwatch.inside import within
from otel_loopwatch.installation import installed
from otel_loopwatch.telemetry import names


def sdk() -> TracerProvider:
    """A provider of the SDK."""
    return TracerProvider(shutdown_on_exit=False)


class Wrapping:
    """As Logfire's: hands on to a provider inside, if there is one."""

    def __init__(self, inner: Any) -> None:
        self.provider = inner

    def add_span_processor(self, processor: SpanProcessor) -> None:
        self.provider.add_span_processor(processor)


class Replacing(TracerProvider):
    """As Phoenix's: an added processor takes the place of the default one, unless told not to."""

    def __init__(self) -> None:
        super().__init__(shutdown_on_exit=False)
        self.replaced = False

    def add_span_processor(self, *args: Any, replace_default_processor: bool = True, **kwargs: Any) -> None:
        self.replaced |= replace_default_processor
        super().add_span_processor(*args, **kwargs)


@pytest.mark.parametrize("make", [sdk, lambda: Wrapping(sdk()), Replacing], ids=["sdk", "wrapping", "replacing"])
def test_once_however_often(make: Callable[[], Any]) -> None:
    """The second time the processor of the first is returned."""
    provider = make()
    first = install(provider, window=64)
    assert first.options.settings.window == 64
    assert install(provider) is first
    assert installed(provider) is first
    assert sum(isinstance(each, LoopwatchSpanProcessor) for each in within(provider)) == 1


def test_nobodys_exporter_is_removed() -> None:
    """Phoenix's provider is told to keep its own."""
    provider, exporter = Replacing(), InMemorySpanExporter()
    TracerProvider.add_span_processor(provider, SimpleSpanProcessor(exporter))
    install(provider)
    provider.get_tracer("t").start_span("execute_tool x").end()
    assert not provider.replaced
    (span,) = exporter.get_finished_spans()
    assert span.attributes is not None
    assert names.CALL_OUTCOME in span.attributes


class Wrapper(SpanProcessor):
    """As vendors wrap processors."""

    def __init__(self, processor: SpanProcessor) -> None:
        self.processor = processor


@pytest.mark.parametrize("wrap", [lambda processor: processor, Wrapper], ids=["bare", "wrapped"])
def test_one_that_was_added_by_hand_is_found(wrap: Callable[[SpanProcessor], SpanProcessor]) -> None:
    """Also within a vendor's wrapper."""
    provider, ours = sdk(), LoopwatchSpanProcessor()
    provider.add_span_processor(wrap(ours))
    assert install(provider) is ours


def test_one_that_was_shut_down_is_replaced() -> None:
    """It does nothing any more."""
    provider = sdk()
    first = install(provider)
    first.shutdown()
    assert install(provider) is not first


def test_arguments_that_come_too_late_are_said(caplog: pytest.LogCaptureFixture) -> None:
    """The first installation holds."""
    provider = sdk()
    install(provider)
    with caplog.at_level(logging.WARNING):
        install(provider, window=64, control="halt")
    assert "on this provider already; ignored: control, window" in caplog.text


@pytest.mark.parametrize(
    "provider", [ProxyTracerProvider(), NoOpTracerProvider(), Wrapping(NoOpTracerProvider()), "tracer"]
)
def test_nothing_to_install_on_is_said(provider: object) -> None:
    """With what it is and what to do."""
    with pytest.raises(ValueError, match=f"provider is {type(provider).__name__}; it must be a tracer provider of"):
        install(provider)


def test_without_a_provider_the_global_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever set it."""
    provider = sdk()
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", lambda: provider)
    assert install() is installed(provider)


def test_a_wrong_argument_leaves_the_provider_alone() -> None:
    """As in the constructor."""
    provider = sdk()
    with pytest.raises(ValueError, match="window is 3"):
        install(provider, window=3)
    assert installed(provider) is None
