import gc
import threading
import weakref
from typing import Any

import pytest
from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider

from otel_loopwatch.telemetry.late_write import before_end, works_here


class Collected(SpanProcessor):
    """Keeps what an exporter would get."""

    def __init__(self) -> None:
        self.ended: list[dict[str, Any]] = []

    def on_end(self, span: Any) -> None:
        """Keep the attributes."""
        self.ended.append(dict(span.attributes))


@pytest.fixture
def collected() -> Collected:
    """What comes out of the span's provider."""
    return Collected()


@pytest.fixture
def span(collected: Collected) -> Span:
    """An open span."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(collected)
    span = provider.get_tracer("t").start_span("work")
    assert isinstance(span, Span)
    return span


def test_the_sdk_at_hand_passes_the_check() -> None:
    """Every supported SDK takes late writes."""
    assert works_here()


def test_an_sdk_without_late_writes_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shadow is never called, the check says so."""
    monkeypatch.setattr("otel_loopwatch.telemetry.late_write.before_end", lambda span, write: None)
    assert works_here.__wrapped__() is False


def test_a_check_that_raises_means_no(monkeypatch: pytest.MonkeyPatch) -> None:
    """An SDK that breaks the check altogether is one without late writes."""
    monkeypatch.setattr("otel_loopwatch.telemetry.late_write.TracerProvider", None)
    assert works_here.__wrapped__() is False


def test_written_once_however_often_end_is_called(span: Span, collected: Collected) -> None:
    """A second end() goes straight to the SDK, which ignores it."""
    written: list[int | None] = []
    before_end(span, written.append)
    span.end()
    span.end()
    assert written == [None]
    assert len(collected.ended) == 1


@pytest.mark.parametrize("how", ["position", "keyword"])
def test_end_time_is_seen_and_kept(span: Span, how: str) -> None:
    """The end time the caller gives is the span's, and the writer's."""
    written: list[int | None] = []
    before_end(span, written.append)
    span.end(123) if how == "position" else span.end(end_time=123)
    assert written == [123]
    assert span.end_time == 123


def test_a_writer_that_raises_does_not_keep_the_span_open(span: Span, collected: Collected) -> None:
    """The span ends whatever the writer does."""

    def fail(end_ns: int | None) -> None:
        raise KeyboardInterrupt

    before_end(span, fail)
    with pytest.raises(KeyboardInterrupt):
        span.end()
    assert len(collected.ended) == 1


def test_end_in_another_thread(span: Span, collected: Collected) -> None:
    """Spans may be ended far from where they began."""
    before_end(span, lambda _: span.set_attribute("late", True))
    thread = threading.Thread(target=span.end)
    thread.start()
    thread.join()
    assert collected.ended == [{"late": True}]


def test_many_threads_end_one_span(span: Span, collected: Collected) -> None:
    """Only one of them writes, and the span is exported once."""
    written: list[int | None] = []
    before_end(span, written.append)
    threads = [threading.Thread(target=span.end) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(written) == 1
    assert len(collected.ended) == 1


def test_two_shadows_both_write(span: Span, collected: Collected) -> None:
    """Two processors, ours or somebody else's, do not take the writes from each other."""
    before_end(span, lambda _: span.set_attribute("first", 1))
    before_end(span, lambda _: span.set_attribute("second", 2))
    span.end()
    assert collected.ended == [{"second": 2, "first": 1}]


def test_exceptions_inside_with_are_recorded_as_ever(collected: Collected) -> None:
    """The body's exception reaches the span and the caller."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(collected)

    def work() -> None:
        with provider.get_tracer("t").start_as_current_span("work") as span:
            assert isinstance(span, Span)
            before_end(span, lambda _: span.set_attribute("status", span.status.status_code.name))
            raise LookupError

    with pytest.raises(LookupError):
        work()
    assert collected.ended == [{"status": "ERROR"}]


def test_no_cycle_is_left_behind() -> None:
    """An ended span goes with its last reference, without the garbage collector."""
    provider = TracerProvider(shutdown_on_exit=False)
    gc.disable()
    try:
        other = provider.get_tracer("t").start_span("other")
        assert isinstance(other, Span)
        alive = weakref.ref(other)
        before_end(other, lambda _: None)
        other.end()
        del other
        assert alive() is None
    finally:
        gc.enable()
