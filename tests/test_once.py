"""One thing per object of somebody else's."""

from __future__ import annotations

import gc
from dataclasses import dataclass

import pytest
from opentelemetry.metrics import MeterProvider, NoOpMeterProvider
from opentelemetry.sdk.trace import TracerProvider

from otel_loopwatch import LoopwatchSpanProcessor
from otel_loopwatch.once import OncePer
from otel_loopwatch.telemetry.metrics import metrics_for
from otel_loopwatch.testing import Watch


@dataclass
class Wrapper:
    """Compares by value, so it has no hash."""

    inner: object = None


def test_each_owner_has_its_own() -> None:
    """Also where owners compare equal; asked again, it is the one made first."""
    made: OncePer[Wrapper, list[Wrapper]] = OncePer(lambda owner: [])
    one, other = Wrapper(), Wrapper()
    assert made(one) is made(one)
    assert made(one) is not made(other)


def test_it_goes_with_its_owner() -> None:
    """A provider that is gone leaves nothing behind, and its identity may be given to another."""
    made: OncePer[Wrapper, object] = OncePer(lambda owner: object())
    owner = Wrapper()
    made(owner)
    del owner
    gc.collect()
    assert len(made._made) == 0


def test_a_failure_is_not_kept() -> None:
    """The next one to ask tries again."""
    answers = iter([ValueError("not yet"), "made"])

    def make(owner: Wrapper) -> str:
        if isinstance(answer := next(answers), Exception):
            raise answer
        return answer

    made, owner = OncePer(make), Wrapper()
    with pytest.raises(ValueError, match="not yet"):
        made(owner)
    assert made(owner) == "made"


def test_providers_without_a_hash_are_watched_and_counted() -> None:
    """As those of Logfire are: dataclasses around the SDK's."""

    @dataclass
    class Tracers(TracerProvider):
        name: str = "tracers"

        def __post_init__(self) -> None:
            super().__init__(shutdown_on_exit=False)

    @dataclass
    class Meters(NoOpMeterProvider):
        name: str = "meters"

    meters: MeterProvider = Meters()
    LoopwatchSpanProcessor(meter_provider=meters).shutdown()
    assert metrics_for(meters) is metrics_for(meters)
    watch = Watch(Tracers())
    watch.provider.get_tracer("agents").start_span("execute_tool look", attributes={"gen_ai.tool.name": "look"}).end()
    watch.close()
    assert [call.tool for call in watch.calls] == ["look"]
